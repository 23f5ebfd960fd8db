import type { Client } from "./client.ts";

/** The webhook of the payment provider has 30 minutes. */
export const awaitPayment = (queuert: Client, order: number) =>
  queuert.transaction((context) =>
    queuert.startJobSequence({
      ...context,
      typeName: "await-payment",
      input: { order },
      waitAtMostMs: 30 * 60_000,
      startBlockers: async () => [
        await queuert.expectSignal({ ...context, typeName: "payment", key: `order:${order}` }),
      ],
    }),
  );

/** In the handler of the webhook, which may come early, late, or twice. */
export const receivePayment = (queuert: Client, order: number, cents: number) =>
  queuert.sendSignals({
    autocommit: true,
    signals: [{ typeName: "payment", key: `order:${order}`, payload: { cents } }],
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
        const key = `order:${job.input.order}`;
        const signal = await queuert.expectSignal({ ...context, typeName: "payment", key });
        await queuert.cancelJobSequences({ ...context, ids: [signal.id] });
        return { paid: false };
      });
    },
  });
