// How transactions, locks and deletions go wrong.
import type { Breaker } from "./breaker.ts";
import type { Breakers } from "./breaker.ts";

const oneContextAtATime: Breaker = (good) => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...good,
    provideContext: (callback) => {
      const before = last;
      const inTurn = async () => {
        await before;
        return good.provideContext(callback);
      };
      const next = inTurn();
      last = next.catch(() => undefined);
      return next;
    },
  };
};

export const brokenTransactions: Breakers<
  | "provideContext"
  | "runInTransaction"
  | "isInTransaction"
  | "lockSequences"
  | "deleteSequences"
  | "deleteFinishedSequences"
> = {
  provideContext: {
    "a context is a transaction": (good) => ({
      ...good,
      provideContext: (callback) => good.runInTransaction(callback),
    }),
    "one context at a time": oneContextAtATime,
  },
  runInTransaction: {
    "a rollback keeps the writes": (good) => ({
      ...good,
      runInTransaction: async (callback) => {
        let failure: { readonly error: unknown } | undefined;
        const result = await good.runInTransaction(async (context) => {
          try {
            return { value: await callback(context) };
          } catch (error) {
            failure = { error };
            return undefined;
          }
        });
        if (failure !== undefined || result === undefined) throw failure?.error;
        return result.value;
      },
    }),
    "the callback of a transaction is run twice": (good) => ({
      ...good,
      runInTransaction: async (callback) => {
        await good.runInTransaction(callback).catch(() => undefined);
        return good.runInTransaction(callback);
      },
    }),
    "calls in a transaction are not part of it": (good) => ({
      ...good,
      getJobs: ({ ids }) => good.getJobs({ ids }),
    }),
    "a write after its transaction is stored by itself": (good) => ({
      ...good,
      createJobs: async (params) => {
        const { context, jobs } = params;
        const hasEnded = context !== undefined && !(await good.isInTransaction(context));
        return good.createJobs(hasEnded ? { jobs } : params);
      },
    }),
  },
  isInTransaction: {
    "every context is in a transaction": (good) => ({
      ...good,
      isInTransaction: () => Promise.resolve(true),
    }),
    "no context is in a transaction": (good) => ({
      ...good,
      isInTransaction: () => Promise.resolve(false),
    }),
  },
  lockSequences: {
    "what is locked is the first job": (good) => ({
      ...good,
      lockSequences: async (params) =>
        (await good.lockSequences(params)).map((each) => each && { ...each, current: each.first }),
    }),
    "missing sequences are left out of the answer": (good) => ({
      ...good,
      lockSequences: async (params) =>
        (await good.lockSequences(params)).filter((each) => each !== undefined),
    }),
  },
  deleteSequences: {
    "deletion leaves out the check for dependants outside": (good) => ({
      ...good,
      deleteSequences: async (params) => {
        const result = await good.deleteSequences(params);
        return result.kind === "blocking" ? { kind: "deleted", jobCount: 1, running: [] } : result;
      },
    }),
    "holders of deleted jobs are not named": (good) => ({
      ...good,
      deleteSequences: async (params) => {
        const result = await good.deleteSequences(params);
        return result.kind === "deleted" ? { ...result, running: [] } : result;
      },
    }),
  },
  deleteFinishedSequences: {
    "clean-up ignores its limit": (good) => ({
      ...good,
      deleteFinishedSequences: (params) =>
        good.deleteFinishedSequences({ ...params, limit: 1_000 }),
    }),
    "clean-up takes one age for both statuses": (good) => ({
      ...good,
      deleteFinishedSequences: (params) =>
        good.deleteFinishedSequences({ ...params, completedForMs: params.failedForMs }),
    }),
    "clean-up takes a null age for none": (good) => ({
      ...good,
      deleteFinishedSequences: (params) =>
        good.deleteFinishedSequences({ ...params, failedForMs: params.failedForMs ?? 0 }),
    }),
  },
};
