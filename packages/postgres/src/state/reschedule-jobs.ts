// ↺ Failed, asked to wait, or handed back: running jobs become pending again and their leases end.
import type { RescheduleResult } from "queuert/internal";
import { column, storableText } from "../database.ts";
import { toDate } from "../job-row.ts";
import { scheduledAfterMs, scheduledAtText } from "../new-job-columns.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";
import { lostReasons } from "./renew-leases.ts";

const argTypes = ["id[]", "integer[]", "timestamptz[]", "float8[]", "integer[]", "text[]"];

export const rescheduleJobs = (db: PgDatabase): PgState["rescheduleJobs"] => {
  const reschedule = db.routine("reschedule_jobs", argTypes);
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const rows = await reschedule(
      [
        db.ids(jobs.map(({ jobId }) => jobId)),
        column(jobs, ({ leaseVersion }) => leaseVersion),
        column(jobs, ({ schedule }) => scheduledAtText(schedule)),
        column(jobs, ({ schedule }) => scheduledAfterMs(schedule)),
        column(jobs, ({ countsAttempt }) => (countsAttempt ? null : 1)),
        column(jobs, ({ error }) => storableText(error)),
      ],
      context,
    );
    const reasons = lostReasons(rows);
    const rescheduled = new Map(
      rows
        .filter((row) => row["kind"] === "rescheduled")
        .map((row) => [Number(row["element"]) - 1, toDate(row["scheduled_at_us"])]),
    );
    return jobs.map((_, index): RescheduleResult => {
      const scheduledAt = rescheduled.get(index);
      if (scheduledAt !== undefined) return { kind: "rescheduled", scheduledAt };
      return { kind: "lost", reason: reasons.get(index) ?? "taken_by_another_worker" };
    });
  };
};
