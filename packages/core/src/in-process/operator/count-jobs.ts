import { matchesAll } from "../../adapter-kit/job-conditions.ts";
import type { CountJobsParams, JobCount } from "../../adapters/operator-reads.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";
import type { Store } from "../store.ts";
import { viewJob } from "../views.ts";

export const countJobs =
  (database: Database): InProcessOperatorMethod<"countJobs"> =>
  async (params) =>
    database.read(undefined, "countJobs", (store) =>
      countMatches(store, params, new Date(database.now())),
    );

/** The newest jobs first. */
const countMatches = (
  store: Store,
  { conditions, max, examineMax }: CountJobsParams,
  now: Date,
): JobCount => {
  let count = 0;
  let examined = 0;
  for (const stored of store.jobs.walk("desc", null)) {
    const job = viewJob(stored, "committed");
    if (job === undefined) continue;
    if (examined === examineMax) return { count, isAtLeast: true };
    examined++;
    const limitKey = stored.committed?.limitKey ?? null;
    if (!matchesAll(job, conditions, now, limitKey)) continue;
    if (count === max) return { count, isAtLeast: true };
    count++;
  }
  return { count, isAtLeast: false };
};
