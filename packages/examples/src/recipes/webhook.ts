import type { Client } from "./client.ts";

const paymentOf = (order: number) => ({ typeName: "payment", key: `order:${order}` }) as const;

/** The webhook of the payment provider has 30 minutes. */
export const awaitPayment = (queuert: Client, order: number) =>
  queuert.transaction((context) =>
    queuert.startJobSequence({
      ...context,
      typeName: "await-payment",
      input: { order },
      waitAtMostMs: 30 * 60_000,
      startBlockers: async () => [await queuert.expectSignal({ ...context, ...paymentOf(order) })],
    }),
  );

/** In the handler of the webhook, which may come early, late, or twice. */
export const receivePayment = (queuert: Client, order: number, cents: number) =>
  queuert.sendSignals({
    autocommit: true,
    signals: [{ ...paymentOf(order), payload: { cents } }],
  });

export const paymentWorker = (queuert: Client, release: (order: number) => Promise<void>) =>
  queuert.createWorker().implementJobType({
    typeName: "await-payment",
    process: async ({ job, complete }) => {
      const [payment] = job.blockers; // null: the time is up
      if (payment !== null) return complete({ paid: true });
      await release(job.input.order);
      return complete(async (context) => {
        // A signal that nothing waits for any more would keep its tree for ever.
        const unsent = paymentOf(job.input.order);
        const signal = await queuert.expectSignal({ ...context, ...unsent });
        await queuert.cancelJobSequences({ ...context, ids: [signal.id] });
        return { paid: false };
      });
    },
  });
