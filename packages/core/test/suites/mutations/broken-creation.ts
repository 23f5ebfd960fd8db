// How creating and blocking go wrong.
import type { NewStateJob } from "../../../src/adapters/state-adapter-params.ts";
import type { Breakers } from "./breaker.ts";

const withoutKey = (job: NewStateJob): NewStateJob =>
  job.kind === "entry" ? { ...job, deduplication: null } : job;

export const brokenCreation: Breakers<"createJobs" | "addBlockers"> = {
  createJobs: {
    "deduplication is off": (good) => ({
      ...good,
      createJobs: (params) => good.createJobs({ ...params, jobs: params.jobs.map(withoutKey) }),
    }),
    "deduplication ignores the type": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) =>
            job.kind === "entry" && job.deduplication !== null ? { ...job, typeName: "any" } : job,
          ),
        }),
    }),
    'deduplication takes every strategy for "all"': (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) =>
            job.kind === "entry" && job.deduplication !== null
              ? { ...job, deduplication: { ...job.deduplication, strategy: "all" } }
              : job,
          ),
        }),
    }),
    "deduplication forgets the window": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) =>
            job.kind === "entry" && job.deduplication !== null
              ? { ...job, deduplication: { ...job.deduplication, windowMs: null } }
              : job,
          ),
        }),
    }),
    "payloads are parsed and written anew": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) => ({
            ...job,
            input: JSON.stringify(JSON.parse(job.input) ?? {}),
          })),
        }),
    }),
    "given ids are ignored": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) => (job.kind === "entry" ? { ...job, id: undefined } : job)),
        }),
    }),
    "jobs are created in reverse order": (good) => ({
      ...good,
      createJobs: async (params) => {
        const created = await good.createJobs({ ...params, jobs: [...params.jobs].reverse() });
        return [...created].reverse();
      },
    }),
    "schedules are dropped": (good) => ({
      ...good,
      createJobs: (params) =>
        good.createJobs({
          ...params,
          jobs: params.jobs.map((job) => ({ ...job, schedule: null })),
        }),
    }),
  },
  addBlockers: {
    "the end of the wait is forgotten": (good) => ({
      ...good,
      addBlockers: (params) =>
        good.addBlockers({
          ...params,
          jobs: params.jobs.map((each) => ({ ...each, waitAtMostMs: undefined })),
        }),
    }),
    "one blocker is enough": (good) => ({
      ...good,
      addBlockers: (params) =>
        good.addBlockers({
          ...params,
          jobs: params.jobs.map((each) => ({
            ...each,
            blockerSequenceIds: each.blockerSequenceIds.slice(0, 1),
          })),
        }),
    }),
    "missing sequences are not named": (good) => ({
      ...good,
      addBlockers: async (params) =>
        (await good.addBlockers(params)).map(({ job }) => ({ job, missing: [] })),
    }),
    "a blocker given twice is kept once": (good) => ({
      ...good,
      addBlockers: (params) =>
        good.addBlockers({
          ...params,
          jobs: params.jobs.map((each) => ({
            ...each,
            blockerSequenceIds: [...new Set(each.blockerSequenceIds)],
          })),
        }),
    }),
    "the answer is the job as it was before": (good) => ({
      ...good,
      addBlockers: async (params) =>
        (await good.addBlockers(params)).map(({ job, missing }) => ({
          job: { ...job, status: "blocked" },
          missing,
        })),
    }),
  },
};
