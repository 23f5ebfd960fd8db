// ↺ Failed for good: the jobs, and in the same transaction those that asked to fail with a sequence they wait for.
import type { FailJobsResult } from "queuert/internal";
import { column, storableText } from "../database.ts";
import { toStateJobReference } from "../job-reference.ts";
import { toDate, toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";
import { lostReasons } from "./renew-leases.ts";

export const failJobs = (db: PgDatabase): PgState["failJobs"] => {
  const fail = db.routine("fail_jobs", ["id[]", "integer[]", "text[]"]);
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return { results: [], dependants: [] };
    const rows = await fail(
      [
        db.ids(jobs.map(({ jobId }) => jobId)),
        column(jobs, ({ leaseVersion }) => leaseVersion),
        column(jobs, ({ error }) => storableText(error)),
      ],
      context,
    );
    const reasons = lostReasons(rows);
    const failed = rows.find((row) => row["kind"] === "failed");
    return {
      results: jobs.map((_, index): FailJobsResult["results"][number] => {
        const reason = reasons.get(index);
        if (reason !== undefined) return { kind: "lost", reason };
        // All of one call fail at the same moment.
        return { kind: "failed", failedAt: toDate(failed?.["finished_at_us"]) };
      }),
      dependants: rows
        .filter((row) => row["kind"] === "dependant")
        .map((row) => ({
          ...toStateJobReference(row),
          error: toText(row["last_attempt_error"]),
        })),
    };
  };
};
