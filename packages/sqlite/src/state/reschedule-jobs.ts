// A running job becomes pending again: its attempt failed, its handler rescheduled it, or it was handed back before it began.
import type { RescheduleResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { dueAt } from "../instants.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const rescheduleJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["rescheduleJobs"] => {
  const reschedule = `
UPDATE ${database.names.job} SET status = 'pending', scheduled_at = COALESCE(?, scheduled_at),
  attempt = max(0, attempt - ?), last_attempt_error = COALESCE(?, last_attempt_error),
  leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ?
RETURNING scheduled_at`;
  const recordAttempt = createRecordAttempt(database.names);
  const leaseLost = createLeaseLostReason(database.names);

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write("rescheduleJobs", context, (session) => {
          const now = session.now();
          return jobs.map(({ jobId, leaseVersion, ...job }): RescheduleResult => {
            const at = job.schedule === null ? null : dueAt(job.schedule, now);
            if (job.error !== null) {
              const end = { jobId, leaseVersion, outcome: "retried", error: job.error } as const;
              recordAttempt(session, { ...end, nextAt: at }, now);
            }
            const takenBack = job.countsAttempt ? 0 : 1;
            const rescheduled = session.get<[scheduledAt: number]>(
              reschedule,
              at,
              takenBack,
              job.error,
              jobId,
              leaseVersion,
            );
            return rescheduled === undefined
              ? { kind: "lost", reason: leaseLost(session, jobId).reason }
              : { kind: "rescheduled", scheduledAt: new Date(rescheduled[0]) };
          });
        });
};
