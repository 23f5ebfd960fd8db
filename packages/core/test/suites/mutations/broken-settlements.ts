// How completing, failing and retrying go wrong.
import { currentVersions } from "./current-versions.ts";
import type { Breakers } from "./breaker.ts";

export const brokenSettlements: Breakers<
  "completeJobs" | "failJobs" | "cancelSequences" | "retryFailedJobs" | "updateJobs" | "triggerJobs"
> = {
  completeJobs: {
    "completion does not check the lease": (good) => ({
      ...good,
      completeJobs: async (params) => {
        const ids = params.completions.map(({ jobId }) => jobId);
        const versions = await currentVersions(good, params.context, ids);
        const completions = params.completions.map((each) => ({
          ...each,
          leaseVersion:
            each.leaseVersion === null ? null : (versions.get(each.jobId) ?? each.leaseVersion),
        }));
        return good.completeJobs({ ...params, completions });
      },
    }),
    "completion answers in the wrong order": (good) => ({
      ...good,
      completeJobs: async (params) => {
        const { results, unblocked } = await good.completeJobs(params);
        return { results: [...results].reverse(), unblocked };
      },
    }),
    "a released job is listed twice": (good) => ({
      ...good,
      completeJobs: async (params) => {
        const { results, unblocked } = await good.completeJobs(params);
        return { results, unblocked: [...unblocked, ...unblocked] };
      },
    }),
    "a lost completion says that this lease stored it": (good) => ({
      ...good,
      completeJobs: async (params) => {
        const { results, unblocked } = await good.completeJobs(params);
        return {
          unblocked,
          results: results.map((each) =>
            each.kind === "lost" ? { ...each, storedByThisLease: true } : each,
          ),
        };
      },
    }),
    "released jobs are not listed": (good) => ({
      ...good,
      completeJobs: async (params) => {
        const { results } = await good.completeJobs(params);
        return { results, unblocked: [] };
      },
    }),
    "a completion does not take part in its transaction": (good) => ({
      ...good,
      completeJobs: (params) => good.completeJobs({ ...params, context: undefined }),
    }),
  },
  failJobs: {
    "failing does not check the lease": (good) => ({
      ...good,
      failJobs: async (params) => {
        const ids = params.jobs.map(({ jobId }) => jobId);
        const versions = await currentVersions(good, params.context, ids);
        const jobs = params.jobs.map((each) => ({
          ...each,
          leaseVersion: versions.get(each.jobId) ?? each.leaseVersion,
        }));
        return good.failJobs({ ...params, jobs });
      },
    }),
    "dependants of a failure are not failed": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) => ({ ...job, onBlockerFailure: "wait" as const })),
        }),
    }),
    "jobs that go on are not listed": (good) => ({
      ...good,
      failJobs: async (params) => ({ ...(await good.failJobs(params)), unblocked: [] }),
    }),
    "dependants are not listed": (good) => ({
      ...good,
      failJobs: async (params) => ({ ...(await good.failJobs(params)), dependants: [] }),
    }),
  },
  cancelSequences: {
    "a cancellation under a lease does not check it": (good) => ({
      ...good,
      cancelSequences: (params) =>
        good.cancelSequences({
          ...params,
          sequences: params.sequences.map(({ id }) => ({ id, lease: null })),
        }),
    }),
    "the tree is left": (good) => ({
      ...good,
      cancelSequences: (params) => good.cancelSequences({ ...params, tree: false }),
    }),
    "the tree is always cancelled": (good) => ({
      ...good,
      cancelSequences: (params) => good.cancelSequences({ ...params, tree: true }),
    }),
    "dependants are never asked": (good) => ({
      ...good,
      cancelSequences: (params) => good.cancelSequences({ ...params, dependants: "cancel" }),
    }),
    "jobs that go on are not listed": (good) => ({
      ...good,
      cancelSequences: async (params) => {
        const result = await good.cancelSequences(params);
        return result.kind === "blocking" ? result : { ...result, unblocked: [] };
      },
    }),
    "the reason is dropped": (good) => ({
      ...good,
      cancelSequences: (params) => good.cancelSequences({ ...params, reason: null }),
    }),
    "running jobs are not told from others": (good) => ({
      ...good,
      cancelSequences: async (params) => {
        const result = await good.cancelSequences(params);
        return result.kind === "blocking"
          ? result
          : { ...result, jobs: result.jobs.map((job) => ({ ...job, wasRunning: false })) };
      },
    }),
  },
  retryFailedJobs: {
    "a retry is always refused": (good) => ({
      ...good,
      retryFailedJobs: (params) =>
        Promise.resolve(params.ids.map(() => ({ kind: "refused", reason: "not_failed" }) as const)),
    }),
    "retries are answered in the wrong order": (good) => ({
      ...good,
      retryFailedJobs: async (params) => [...(await good.retryFailedJobs(params))].reverse(),
    }),
  },
  updateJobs: {
    "an update drops the schedule": (good) => ({
      ...good,
      updateJobs: (params) => {
        const jobs = params.jobs.map((job) => ({ ...job, schedule: null }));
        return good.updateJobs({ ...params, jobs });
      },
    }),
    "an update knows no bound": (good) => ({
      ...good,
      updateJobs: (params) => {
        const jobs = params.jobs.map((job) => ({ ...job, dueWithinMs: null }));
        return good.updateJobs({ ...params, jobs });
      },
    }),
    "an update does not take part in its transaction": (good) => ({
      ...good,
      updateJobs: (params) => good.updateJobs({ ...params, context: undefined }),
    }),
  },
  triggerJobs: {
    "triggering does nothing and says it did": (good) => ({
      ...good,
      triggerJobs: async (params) =>
        (await good.getJobs(params)).map((job) =>
          job === undefined ? { kind: "refused", reason: "not_found" } : { kind: "triggered", job },
        ),
    }),
    "every refusal has the same reason": (good) => ({
      ...good,
      triggerJobs: async (params) =>
        (await good.triggerJobs(params)).map((each) =>
          each.kind === "refused" ? { kind: "refused", reason: "not_found" } : each,
        ),
    }),
  },
};
