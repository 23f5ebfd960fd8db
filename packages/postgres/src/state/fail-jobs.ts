// ↺ Failed for good: the jobs, and in the same transaction the jobs that fail with a sequence they wait for.
import type { FailJobsResult, LeaseLostReason } from "queuert/internal";
import { column, type PgDatabase, type PgState, storableText } from "../database.ts";
import { toDate, toStateJobReference, toText } from "../job-row.ts";
import type { HeldLeases } from "./held-leases.ts";

export const failJobs = (db: PgDatabase, leases: HeldLeases): PgState["failJobs"] => {
  const fail = db.routine("fail_jobs", {
    ids: "id[]",
    lease_versions: "integer[]",
    errors: "text[]",
    acquired_us: "float8[]",
    worker_ids: "text[]",
  });
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return { results: [], dependants: [], unblocked: [] };
    const rows = await fail(
      {
        ids: db.ids(jobs.map(({ jobId }) => jobId)),
        lease_versions: column(jobs, ({ leaseVersion }) => leaseVersion),
        errors: column(jobs, ({ error }) => storableText(error)),
        acquired_us: column(jobs, (job) => leases.acquiredAtUs(job)),
        worker_ids: column(jobs, (job) => storableText(leases.workerId(job))),
      },
      context,
    );
    leases.ended(jobs);
    const reasons = new Map(
      rows
        .filter((row) => row["kind"] === "lost")
        .map((row) => [Number(row["element"]) - 1, row["detail"] as LeaseLostReason]),
    );
    const failed = rows.find((row) => row["kind"] === "failed");
    return {
      results: jobs.map((_, index): FailJobsResult["results"][number] => {
        const reason = reasons.get(index);
        if (reason !== undefined) return { kind: "lost", reason };
        // All jobs of one call fail at the same moment.
        return { kind: "failed", failedAt: toDate(failed?.["finished_at_us"]) };
      }),
      dependants: rows
        .filter((row) => row["kind"] === "dependant")
        .map((row) => ({
          ...toStateJobReference(row),
          error: toText(row["detail"]),
        })),
      unblocked: rows
        .filter((row) => row["kind"] === "unblocked")
        .map((row) => ({
          ...toStateJobReference(row),
          unblockedBySequenceId: toText(row["detail"]),
        })),
    };
  };
};
