// How limits by key go wrong.
import type { AnyStateAdapter } from "../../../src/adapters/state-adapter.ts";
import type { NewStateJob } from "../../../src/model/state-job.ts";
import type { Breaker } from "./breaker.ts";

/** A store that changes new jobs. */
const creating =
  (change: (job: NewStateJob) => NewStateJob): Breaker =>
  (good) => ({
    ...good,
    createJobs: (params) => good.createJobs({ ...params, jobs: params.jobs.map(change) }),
  });

const keysOf = ({ limitKeys }: AnyStateAdapter) => {
  if (limitKeys === undefined) throw new Error("The store has no keys");
  return limitKeys;
};

const withKey = (
  job: NewStateJob,
  change: Partial<NonNullable<NewStateJob["limitKey"]>>,
): NewStateJob =>
  job.limitKey === null || job.limitKey === undefined
    ? job
    : { ...job, limitKey: { ...job.limitKey, ...change } };

export const brokenLimitKeys: Readonly<Record<string, Breaker>> = {
  "jobs have no key": creating((job) => ({ ...job, limitKey: null })),
  "all jobs of a limit have one key": creating((job) => withKey(job, { key: "one" })),
  "each type has keys of its own": creating((job) => withKey(job, { limitName: job.typeName })),
  "every start costs one token": creating((job) => withKey(job, { cost: 1 })),
  "a job waits for its key for ever after a failure": (good) => ({
    ...good,
    failJobs: (params) => good.failJobs({ ...params, jobs: [] }),
  }),
  "jobs under keys are acquired ahead": (good) => ({
    ...good,
    acquireJobs: (params) => good.acquireJobs({ ...params, slots: params.limit }),
  }),
  "an expired lease of a job under a key is renewed": (good) => ({
    ...good,
    renewLeases: async (params) => {
      const checks = await good.renewLeases(params);
      return checks.map((one) =>
        one.kind === "lost" && one.reason === "lease_expired" ? { kind: "held" } : one,
      );
    },
  }),
  "low priorities never grow old": (good) => ({
    ...good,
    setLimits: ({ limits }) =>
      good.setLimits({ limits: limits.map((one) => ({ ...one, agingMs: null })) }),
  }),
  "keys have no bounds": (good) => ({
    ...good,
    setLimits: ({ limits }) =>
      good.setLimits({ limits: limits.map((one) => ({ ...one, perKey: undefined })) }),
  }),
  "a job keeps its key when it is changed": (good) => ({
    ...good,
    updateJobs: (params) =>
      good.updateJobs({
        ...params,
        jobs: params.jobs.map((one) => ({ ...one, limitKey: undefined })),
      }),
  }),
  "a key that is paused goes on": (good) => ({
    ...good,
    limitKeys: {
      ...keysOf(good),
      setLimitKeys: async ({ keys }) =>
        keysOf(good).setLimitKeys({ keys: keys.map((one) => ({ ...one, pause: undefined })) }),
    },
  }),
  "all keys have one weight": (good) => ({
    ...good,
    limitKeys: {
      ...keysOf(good),
      setLimitKeys: async ({ keys }) =>
        keysOf(good).setLimitKeys({
          keys: keys.map((one) =>
            one.bounds ? { ...one, bounds: { ...one.bounds, weight: 1 } } : one,
          ),
        }),
    },
  }),
  "a pause is always replaced": (good) => ({
    ...good,
    limitKeys: {
      ...keysOf(good),
      setLimitKeys: async ({ keys }) =>
        keysOf(good).setLimitKeys({
          keys: keys.map((one) =>
            one.pause ? { ...one, pause: { ...one.pause, extends: false } } : one,
          ),
        }),
    },
  }),
  "keys are in any order": (good) => ({
    ...good,
    limitKeys: {
      ...keysOf(good),
      getLimitKeys: async (params) => [...(await keysOf(good).getLimitKeys(params))].reverse(),
    },
  }),
};
