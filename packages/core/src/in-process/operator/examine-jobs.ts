import { matchesAll } from "../../adapter-kit/job-conditions.ts";
import type { ExaminedJobs, ExamineJobsParams } from "../../adapters/operator-reads.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";
import type { Store } from "../store.ts";
import { viewJob } from "../views.ts";

export const examineJobs =
  (database: Database): InProcessOperatorMethod<"examineJobs"> =>
  async (params) =>
    database.read(undefined, "examineJobs", (store) =>
      examine(store, params, new Date(database.now())),
    );

const examine = (store: Store, params: ExamineJobsParams, now: Date): ExaminedJobs => {
  const { conditions, order, limit, ordinalMax, examineMax } = params;
  let { afterOrdinal } = params;
  if (order === "desc" && ordinalMax !== null) {
    afterOrdinal = Math.min(afterOrdinal ?? Infinity, ordinalMax + 1);
  }
  const jobs: StateJob[] = [];
  let examined = 0;
  for (const stored of store.jobs.walk(order, afterOrdinal)) {
    if (ordinalMax !== null && stored.ordinal > ordinalMax) break;
    if (examined === examineMax || jobs.length === limit) {
      return { jobs, examined, examinedTo: afterOrdinal };
    }
    const job = viewJob(stored, "committed");
    if (job === undefined) continue;
    examined++;
    afterOrdinal = stored.ordinal;
    const limitKey = stored.committed?.limitKey ?? null;
    if (matchesAll(job, conditions, now, limitKey)) jobs.push(job);
  }
  return { jobs, examined, examinedTo: null };
};
