// How limits go wrong.
import type { Breakers } from "./breaker.ts";

export const brokenLimits: Breakers<"setLimits" | "deleteLimits" | "getLimits"> = {
  setLimits: {
    "a limit is not kept": (good) => ({
      ...good,
      setLimits: async ({ limits }) => limits.map(() => true),
    }),
    "the other bounds of a limit stay": (good) => ({
      ...good,
      setLimits: async ({ limits }) => {
        const stored = await good.getLimits({ names: limits.map(({ name }) => name) });
        const rates = new Map(stored.map(({ name, rate }) => [name, rate]));
        return good.setLimits({
          limits: limits.map((one) => ({ ...one, rate: one.rate ?? rates.get(one.name) ?? null })),
        });
      },
    }),
    "an old declaration replaces a newer one": (good) => ({
      ...good,
      setLimits: ({ limits }) =>
        good.setLimits({
          limits: limits.map((limit) => ({
            ...limit,
            declaration: limit.declaration && { ...limit.declaration, revision: 1_000 },
          })),
        }),
    }),
    "running jobs do not count": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const limits = await good.getLimits({ names: params.types.map((one) => one.typeName) });
        const raised = limits.map((one) => ({
          ...one,
          concurrency: one.concurrency === null ? null : one.concurrency + one.running,
        }));
        await good.setLimits({ limits: raised.map((one) => ({ ...one, declaration: null })) });
        const result = await good.acquireJobs(params);
        await good.setLimits({ limits: limits.map((one) => ({ ...one, declaration: null })) });
        return result;
      },
    }),
    "a batch is acquired before it is ripe": (good) => ({
      ...good,
      acquireJobs: (params) =>
        good.acquireJobs({
          ...params,
          types: params.types.map((type) => ({ ...type, batch: undefined })),
        }),
    }),
    "a batch waits for its size alone": (good) => ({
      ...good,
      acquireJobs: (params) =>
        good.acquireJobs({
          ...params,
          types: params.types.map((type) => ({
            ...type,
            batch: type.batch && { ...type.batch, maxWaitMs: Number.MAX_SAFE_INTEGER },
          })),
        }),
    }),
  },
  deleteLimits: {
    "a limit stays without its bounds": (good) => ({
      ...good,
      deleteLimits: async ({ names }) => {
        const stored = await good.getLimits({ names });
        const found = new Set(stored.map(({ name }) => name));
        await good.setLimits({
          limits: stored.map((one) => ({
            ...one,
            concurrency: null,
            rate: null,
            declaration: null,
          })),
        });
        return names.map((name) => found.has(name));
      },
    }),
    "a pause ends with the limit": (good) => ({
      ...good,
      deleteLimits: async ({ names }) => {
        await good.resume({ targets: names.map((typeName) => ({ typeName })) });
        return good.deleteLimits({ names });
      },
    }),
  },
  getLimits: {
    "limits are in any order": (good) => ({
      ...good,
      getLimits: async (params) => [...(await good.getLimits(params))].reverse(),
    }),
    "limits without bounds are left out": (good) => ({
      ...good,
      getLimits: async (params) =>
        (await good.getLimits(params)).filter((one) => one.concurrency !== null || one.rate),
    }),
  },
};
