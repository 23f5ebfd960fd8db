// A shop whose jobs are in every state that the page shows. Its bank does not answer until a test says that it does.
import {
  createQueuert,
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
  type NotifyAdapter,
  type StateAdapter,
  UnrecoverableJobError,
} from "queuert";

type Context = Record<never, never>;

const jobTypes = defineUnionJobTypes<{
  "ship-order": {
    input: { order: string };
    output: { parcel: string };
    blockers: [DefineBlocker<"charge-card">, DefineBlocker<"pack-order">];
  };
  "charge-card": { input: { order: string; amount: number; card: string }; output: string };
  "pack-order": { input: { order: string }; output: DefineContinuationOutput<"print-label"> };
  "print-label": {
    input: DefineContinuationInput<{ order: string; weight: number }>;
    output: { label: string };
  };
  "send-mail": { input: { to: string; template: string }; output: null };
  "resize-image": { input: { url: string; width: number }; output: null };
  "nightly-report": { input: { day: string }; output: null };
  "make-album": {
    input: { name: string };
    output: null;
    blockers: [DefineBlocker<"resize-photo">, ...DefineBlocker<"resize-photo">[]];
  };
  "resize-photo": { input: { photo: number }; output: null };
  "sync-customer": { input: { customer: string; row: number }; output: null };
}>();

/** The other system takes two requests of a customer at once. */
const customerLimit = {
  declared: { "crm-api": { rate: { count: 600, perMs: 60_000 }, perKey: { concurrency: 2 } } },
  jobTypes: {
    "sync-customer": {
      limit: "crm-api",
      key: ({ input }: { readonly input: { readonly customer: string } }) => input.customer,
    },
  },
};

/** A client on a store. */
export const openShop = (
  stateAdapter: StateAdapter<Context, Context, string>,
  notifyAdapter?: NotifyAdapter,
) =>
  createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
    limits: customerLimit,
    log: () => undefined,
  });
export type Shop = Awaited<ReturnType<typeof openShop>>;

export interface Bank {
  isUp: boolean;
}

/** The shop's worker. It does not implement `resize-image`. */
export const startShopWorker = (shop: Shop, bank: Bank, workerId = "shop-1") =>
  shop
    .createWorker()
    .implementJobType({
      typeName: "ship-order",
      process: async ({ job, complete }) => complete({ parcel: `parcel of ${job.input.order}` }),
    })
    .implementJobType({
      typeName: "charge-card",
      retryConfig: { initialDelayMs: 20, maxDelayMs: 60, maxAttempts: 4 },
      process: async ({ job, log, progress, complete }) => {
        const { order, amount, card } = job.input;
        log(`charging ${order}`, { amount, card });
        progress(0.5, "at the bank");
        if (!bank.isUp) {
          log.warn("no answer");
          const error =
            job.attempt === 1
              ? new TypeError(`cannot read "amount" of order ${job.input.order}`)
              : new BankTimeoutError(`the bank does not answer (request ${job.attempt}9217)`);
          throw error;
        }
        return complete(`receipt of ${job.input.order}`);
      },
    })
    .implementJobType({
      typeName: "pack-order",
      process: async ({ job, complete }) =>
        complete.continueWith({
          typeName: "print-label",
          input: { order: job.input.order, weight: 1_250 },
        }),
    })
    .implementJobType({
      typeName: "print-label",
      process: async ({ job, complete }) => complete({ label: `label ${job.input.order}` }),
    })
    .implementJobType({
      typeName: "send-mail",
      retryConfig: { initialDelayMs: 3_600_000, maxAttempts: 5 },
      process: async ({ job, complete }) => {
        const { to, template } = job.input;
        if (template === "broken")
          throw new UnrecoverableJobError(`template "${template}" has no text`);
        if (to.endsWith("@slow.example")) throw new Error(`421 ${to}: try again later`);
        return complete(null);
      },
    })
    .implementJobType({
      typeName: "resize-photo",
      process: async ({ job, complete }) => {
        if (job.input.photo === 7) throw new UnrecoverableJobError("photo 7 is empty");
        return complete(null);
      },
    })
    .implementJobType({
      typeName: "make-album",
      process: async ({ complete }) => complete(null),
    })
    .implementJobType({
      typeName: "nightly-report",
      process: async ({ complete }) => complete(null),
    })
    .start({ workerId, concurrency: 8, pollIntervalMs: 50 });

class BankTimeoutError extends Error {
  override readonly name = "BankTimeoutError";
}

/** An order: it is shipped when the card is charged and the parcel is packed. */
export const placeOrder = (shop: Shop, order: string) =>
  shop.transaction(async (context) => {
    let chargeId = "";
    const shipping = await shop.startJobSequence({
      ...context,
      typeName: "ship-order",
      input: { order },
      startBlockers: async ({ job: _job, ...own }) => {
        const charge = await shop.startJobSequence({
          ...own,
          typeName: "charge-card",
          input: { order, amount: 49.9, card: "4111 1111 1111 1111" },
        });
        chargeId = charge.id;
        const packing = await shop.startJobSequence({
          ...own,
          typeName: "pack-order",
          input: { order },
        });
        return [charge, packing];
      },
    });
    return { order, shipId: shipping.id, chargeId };
  });
export type Order = Awaited<ReturnType<typeof placeOrder>>;

export const startMail = (shop: Shop, to: string, template = "welcome", afterMs = 0) =>
  shop.startJobSequence({
    typeName: "send-mail",
    input: { to, template },
    autocommit: true,
    ...(afterMs > 0 && { schedule: { afterMs } }),
  });

export const startImage = (shop: Shop, name: string) =>
  shop.startJobSequence({
    typeName: "resize-image",
    input: { url: `https://cdn.example.com/${name}.jpg`, width: 640 },
    autocommit: true,
  });

/** An album that waits for each of its photos. Photo 7 fails. */
export const makeAlbum = (shop: Shop, name: string, photos: number) =>
  shop.transaction(async (context) =>
    shop.startJobSequence({
      ...context,
      typeName: "make-album",
      input: { name },
      startBlockers: async ({ job: _job, ...own }) => {
        const [first, ...rest] = await shop.startJobSequences({
          ...own,
          sequences: Array.from({ length: photos }, (_, photo) => ({
            typeName: "resize-photo" as const,
            input: { photo },
          })),
        });
        if (first === undefined) throw new Error("an album has a photo");
        return [first, ...rest];
      },
    }),
  );

/** Jobs under a key for each customer. No worker implements them. */
export const startSyncs = (shop: Shop, customers: Readonly<Record<string, number>>) =>
  shop.startJobSequences({
    sequences: Object.entries(customers).flatMap(([customer, count]) =>
      Array.from({ length: count }, (_, row) => ({
        typeName: "sync-customer" as const,
        input: { customer, row },
      })),
    ),
    autocommit: true,
  });

/** Orders whose charge failed, mails in each state, and images without a worker. */
export const fillShop = async (shop: Shop) => {
  const orders: Order[] = [];
  for (const order of ["A-17", "A-18", "A-19"]) orders.push(await placeOrder(shop, order));
  for (const name of ["ada", "grace", "alan"]) await startMail(shop, `${name}@example.com`);
  const broken = await startMail(shop, "edsger@example.com", "broken");
  const retried = await startMail(shop, "barbara@slow.example");
  const later = await startMail(shop, "donald@example.com", "birthday", 3 * 3_600_000);
  for (const name of ["lamp", "chair", "table"]) await startImage(shop, name);
  return { orders, brokenId: broken.id, retriedId: retried.id, laterId: later.id };
};

/** Waits until the worker has nothing left to do. */
export const settled = async (shop: Shop, failed: number): Promise<void> => {
  for (;;) {
    const { items } = await shop.listJobs({ status: "failed" });
    if (items.length >= failed) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
