// ↺ Failed, asked to wait, or handed back: running jobs become pending again and their leases end.
import type { LeaseLostReason, RescheduleResult } from "queuert/internal";
import { column, type PgDatabase, type PgState, storableText } from "../database.ts";
import { toDate } from "../job-row.ts";
import type { HeldLeases } from "./held-leases.ts";
import { scheduledAfterMs, scheduledAtText } from "../insert-jobs.ts";

export const rescheduleJobs = (db: PgDatabase, leases: HeldLeases): PgState["rescheduleJobs"] => {
  const reschedule = db.routine("reschedule_jobs", {
    ids: "id[]",
    lease_versions: "integer[]",
    at: "timestamptz[]",
    after_ms: "float8[]",
    uncounted: "integer[]",
    errors: "text[]",
    acquired_us: "float8[]",
    worker_ids: "text[]",
  });
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const rows = await reschedule(
      {
        ids: db.ids(jobs.map(({ jobId }) => jobId)),
        lease_versions: column(jobs, ({ leaseVersion }) => leaseVersion),
        at: column(jobs, ({ schedule }) => scheduledAtText(schedule)),
        after_ms: column(jobs, ({ schedule }) => scheduledAfterMs(schedule)),
        uncounted: column(jobs, ({ countsAttempt }) => (countsAttempt ? null : 1)),
        errors: column(jobs, ({ error }) => storableText(error)),
        acquired_us: column(jobs, (job) => leases.acquiredAtUs(job)),
        // Only an attempt with an error is kept.
        worker_ids: column(jobs, (job) =>
          job.error === null ? null : storableText(leases.workerId(job)),
        ),
      },
      context,
    );
    leases.ended(jobs);
    const byElement = new Map(rows.map((row) => [Number(row["element"]) - 1, row]));
    return jobs.map((_, index): RescheduleResult => {
      const row = byElement.get(index);
      if (row !== undefined && row["reason"] === null) {
        return { kind: "rescheduled", scheduledAt: toDate(row["scheduled_at_us"]) };
      }
      const reason = row?.["reason"] as LeaseLostReason | undefined;
      return { kind: "lost", reason: reason ?? "taken_by_another_worker" };
    });
  };
};
