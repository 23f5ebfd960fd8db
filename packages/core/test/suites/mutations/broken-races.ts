// Stores that are right as long as nothing happens at the same time: each does in two steps a
// change that must be one. The in-process store itself does everything at once, so a pause makes
// the gap between the steps.
import type { AnyStateAdapter } from "../../../src/adapters/state-adapter.ts";
import type { NewStateJob } from "../../../src/adapters/state-adapter-params.ts";
import { sleep } from "../../../src/testing/waiting.ts";
import type { Breaker } from "./breaker.ts";

const gapMs = 5;

const withoutKey = (job: NewStateJob): NewStateJob =>
  job.kind === "entry" ? { ...job, deduplication: null } : job;

/** Looks up a key, pauses, and creates: check-then-insert, as 16 concurrent starts found it. */
const checkThenInsert = (good: AnyStateAdapter): AnyStateAdapter => {
  const known = new Map<string, string>();
  return {
    ...good,
    createJobs: async (params) => {
      const created = [];
      for (const job of params.jobs) {
        const key = job.kind === "entry" ? job.deduplication?.key : undefined;
        const knownId = key === undefined ? undefined : known.get(key);
        const [found] =
          knownId === undefined
            ? []
            : await good.getJobs({ context: params.context, ids: [knownId] });
        if (params.context === undefined) await sleep(gapMs);
        if (found !== undefined) {
          created.push({ job: found, deduplicated: true });
          continue;
        }
        const jobs = [withoutKey(job)];
        const [made] = await good.createJobs({ context: params.context, jobs });
        if (made === undefined) continue;
        if (key !== undefined) known.set(key, made.job.id);
        created.push(made);
      }
      return created;
    },
  };
};

/**
 * Returns the jobs that it saw before the pause, even if another caller has acquired them
 * meanwhile.
 */
const acquireFromSnapshot = (good: AnyStateAdapter): AnyStateAdapter => {
  let last: Awaited<ReturnType<AnyStateAdapter["acquireJobs"]>> | undefined;
  return {
    ...good,
    acquireJobs: async (params) => {
      const result = await good.acquireJobs(params);
      // A caller that finds nothing gets a job that another one has just acquired.
      if (result.jobs.length === 0 && last !== undefined && params.workerId !== "worker-1") {
        const again = last;
        last = undefined;
        return again;
      }
      if (result.jobs.length > 0) last = result;
      return result;
    },
  };
};

/** Writes outside the transaction it is given: rolled-back writes stay. */
const createOutside: Breaker = (good) => ({
  ...good,
  createJobs: (params) => {
    const keyed = params.jobs.some((job) => job.kind === "entry" && job.deduplication !== null);
    return good.createJobs(keyed ? { ...params, jobs: params.jobs.map(withoutKey) } : params);
  },
});

/** Takes completions without fencing where two holders meet. */
const everyCompletionCounts: Breaker = (good) => ({
  ...good,
  completeJobs: async (params) => {
    const { results, unblocked } = await good.completeJobs(params);
    const completedAt = new Date();
    return {
      unblocked,
      results: results.map((each) =>
        each.kind === "lost" ? { kind: "completed", completedAt, continuation: null } : each,
      ),
    };
  },
});

/** Lets a dependant start as soon as one of its blockers has ended. */
const oneBlockerReleases: Breaker = (good) => ({
  ...good,
  addBlockers: async (params) => {
    const jobs = params.jobs.map((each) => ({
      ...each,
      blockerSequenceIds: each.blockerSequenceIds.slice(0, 1),
    }));
    return good.addBlockers({ ...params, jobs });
  },
});

/** Forgets dependants that are added while the blocker's sequence is being continued. */
const continuedCountsAsEnded: Breaker = (good) => ({
  ...good,
  addBlockers: async (params) => {
    const open: typeof params.jobs = await Promise.all(
      params.jobs.map(async (each) => {
        const ids = each.blockerSequenceIds;
        const sequences = await good.getSequences({ context: params.context, ids });
        const waitsFor = ids.filter((_, index) => sequences[index]?.first.continuedToId === null);
        return { ...each, blockerSequenceIds: waitsFor };
      }),
    );
    return good.addBlockers({ ...params, jobs: open });
  },
});

export const brokenRaces: Readonly<Record<string, Breaker>> = {
  "deduplication checks, then inserts": checkThenInsert,
  "a key is not kept": createOutside,
  "two acquirers get the same job": acquireFromSnapshot,
  "both of two settlements count": everyCompletionCounts,
  "one blocker of two releases": oneBlockerReleases,
  "a continued blocker counts as ended": continuedCountsAsEnded,
};
