// A running job becomes pending again: its attempt failed, its handler rescheduled it, or it was handed back before it began.
import type { RescheduleResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { dueAt } from "../instants.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const rescheduleJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["rescheduleJobs"] => {
  const reschedule = (condition: string): string => `
UPDATE ${database.names.job} SET status = 'pending', scheduled_at = COALESCE(?, scheduled_at),
  attempt = max(0, attempt - ?), last_attempt_error = COALESCE(?, last_attempt_error),
  leased_by = NULL, leased_until = NULL
WHERE ${condition} AND status = 'running' AND lease_version = ?`;
  const byId = reschedule("id = ?");
  const byOrdinal = reschedule("id = ? AND ordinal = ?");
  const scheduledAt = `SELECT scheduled_at FROM ${database.names.job} WHERE id = ?`;
  const recordAttempt = createRecordAttempt(database.names);
  const { ordinals } = database;
  const leaseLost = createLeaseLostReason(database.names);

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write("rescheduleJobs", context, (session) => {
          const now = session.now();
          return jobs.map(({ jobId, leaseVersion, ...job }): RescheduleResult => {
            const ordinal = ordinals.take(jobId);
            const at = job.schedule === null ? null : dueAt(job.schedule, now);
            if (job.error !== null) {
              const end = { jobId, leaseVersion, outcome: "retried", error: null } as const;
              recordAttempt(session, { ...end, nextAt: at, ordinal }, now);
            }
            const takenBack = job.countsAttempt ? 0 : 1;
            const values = [at, takenBack, job.error, jobId] as const;
            const { changes } =
              ordinal === undefined
                ? session.run(byId, ...values, leaseVersion)
                : session.run(byOrdinal, ...values, ordinal, leaseVersion);
            if (Number(changes) === 0) {
              return { kind: "lost", reason: leaseLost(session, jobId).reason };
            }
            // Read only if it stays: RETURNING costs as much as the update.
            const [dueAgain] =
              at === null ? (session.get<[number]>(scheduledAt, jobId) ?? [now]) : [at];
            return { kind: "rescheduled", scheduledAt: new Date(dueAgain) };
          });
        });
};
