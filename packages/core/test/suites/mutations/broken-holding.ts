// How taking, keeping and giving back go wrong.
import type { StateJob } from "../../../src/model/state-job.ts";
import { currentVersions } from "./current-versions.ts";
import type { Breaker } from "./breaker.ts";
import type { Breakers } from "./breaker.ts";

const byOrdinal = (left: StateJob, right: StateJob): number => left.ordinal - right.ordinal;

const neverShorten: Breaker = (good) => ({
  ...good,
  renewLeases: async ({ leases }) => {
    const jobs = await good.getJobs({ ids: leases.map(({ jobId }) => jobId) });
    const longest = leases.map((lease, index) => {
      const remainingMs = (jobs[index]?.leasedUntil?.getTime() ?? 0) - Date.now();
      return { ...lease, leaseMs: Math.max(lease.leaseMs, remainingMs) };
    });
    return good.renewLeases({ leases: longest });
  },
});

const moveReclaimed: Breaker = (good) => {
  const moved = new Set<string>();
  return {
    ...good,
    reclaimExpiredLeases: async (params) => {
      const reclaimed = await good.reclaimExpiredLeases(params);
      for (const { id } of reclaimed) moved.add(id);
      return reclaimed;
    },
    getJobs: async (params) =>
      (await good.getJobs(params)).map(
        (job) => job && { ...job, scheduledAt: moved.has(job.id) ? new Date() : job.scheduledAt },
      ),
  };
};

export const brokenHolding: Breakers<
  "acquireJobs" | "renewLeases" | "rescheduleJobs" | "reclaimExpiredLeases"
> = {
  acquireJobs: {
    "blockers that have not completed are left out": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const result = await good.acquireJobs(params);
        const jobs = result.jobs.map((each) => ({
          ...each,
          blockers: each.blockers.filter(({ current }) => current.status === "completed"),
        }));
        return { ...result, jobs };
      },
    }),
    "acquisition ignores priority and due time": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const { jobs, nextDueInMs } = await good.acquireJobs(params);
        return { jobs: [...jobs].sort((a, b) => byOrdinal(a.job, b.job)), nextDueInMs };
      },
    }),
    "acquisition ignores the limit": (good) => ({
      ...good,
      acquireJobs: (params) => good.acquireJobs({ ...params, limit: params.limit + 1_000 }),
    }),
    "acquisition ignores the limit of a type": (good) => ({
      ...good,
      acquireJobs: (params) =>
        good.acquireJobs({ ...params, types: params.types.map((t) => ({ ...t, limit: 1_000 })) }),
    }),
    "acquisition leaves out the blockers": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const { jobs, nextDueInMs } = await good.acquireJobs(params);
        return { jobs: jobs.map((each) => ({ ...each, blockers: [] })), nextDueInMs };
      },
    }),
    "`nextDueInMs` overflows": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const { jobs, nextDueInMs } = await good.acquireJobs(params);
        return { jobs, nextDueInMs: nextDueInMs === null ? null : nextDueInMs | 0x80000000 };
      },
    }),
    "`nextDueInMs` is never 0": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const { jobs, nextDueInMs } = await good.acquireJobs(params);
        return { jobs, nextDueInMs: nextDueInMs === 0 ? null : nextDueInMs };
      },
    }),
    "a reclaimed job does not say from whom": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const { jobs, nextDueInMs } = await good.acquireJobs(params);
        return { jobs: jobs.map((each) => ({ ...each, reclaimedFrom: null })), nextDueInMs };
      },
    }),
  },
  renewLeases: {
    "renewal does not check the lease": (good) => ({
      ...good,
      renewLeases: async ({ leases }) => {
        const versions = await currentVersions(
          good,
          undefined,
          leases.map(({ jobId }) => jobId),
        );
        return good.renewLeases({
          leases: leases.map((each) => ({
            ...each,
            leaseVersion: versions.get(each.jobId) ?? each.leaseVersion,
          })),
        });
      },
    }),
    "renewal says held and does nothing": (good) => ({
      ...good,
      renewLeases: ({ leases }) => Promise.resolve(leases.map(() => ({ kind: "held" }) as const)),
    }),
    "renewal never shortens a lease": neverShorten,
  },
  rescheduleJobs: {
    "rescheduling does not check the lease": (good) => ({
      ...good,
      rescheduleJobs: async (params) => {
        const ids = params.jobs.map(({ jobId }) => jobId);
        const versions = await currentVersions(good, params.context, ids);
        const jobs = params.jobs.map((each) => ({
          ...each,
          leaseVersion: versions.get(each.jobId) ?? each.leaseVersion,
        }));
        return good.rescheduleJobs({ ...params, jobs });
      },
    }),
    "rescheduling always counts the attempt": (good) => ({
      ...good,
      rescheduleJobs: (params) =>
        good.rescheduleJobs({
          ...params,
          jobs: params.jobs.map((each) => ({ ...each, countsAttempt: true })),
        }),
    }),
    "rescheduling without an error wipes the last one": (good) => ({
      ...good,
      rescheduleJobs: (params) =>
        good.rescheduleJobs({
          ...params,
          jobs: params.jobs.map((each) => ({ ...each, error: each.error ?? "" })),
        }),
    }),
    "a job that is handed back goes to the end of the queue": (good) => ({
      ...good,
      rescheduleJobs: (params) =>
        good.rescheduleJobs({
          ...params,
          jobs: params.jobs.map((each) => ({ ...each, schedule: each.schedule ?? { afterMs: 1 } })),
        }),
    }),
  },
  reclaimExpiredLeases: {
    "the reaper ignores its limit": (good) => ({
      ...good,
      reclaimExpiredLeases: () => good.reclaimExpiredLeases({ limit: 1_000 }),
    }),
    "the reaper takes nothing": (good) => ({
      ...good,
      reclaimExpiredLeases: () => Promise.resolve([]),
    }),
    "a reclaimed job goes to the end of the queue": moveReclaimed,
  },
};
