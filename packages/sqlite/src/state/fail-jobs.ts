// Running jobs fail for good, and with them their dependants that are to fail with a blocker.
import type { FailJobsResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createEndFailed } from "../steps/end-sequence.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const failJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["failJobs"] => {
  const fail = (condition: string): string => `
UPDATE ${database.names.job} SET status = 'failed', finished_at = ?, last_attempt_error = ?,
  leased_by = NULL, leased_until = NULL
WHERE ${condition} AND status = 'running' AND lease_version = ?`;
  const byId = fail("id = ?");
  const byOrdinal = fail("id = ? AND ordinal = ?");
  const recordAttempt = createRecordAttempt(database.names);
  const leaseLost = createLeaseLostReason(database.names);
  const endFailed = createEndFailed(database.names);
  const { ordinals } = database;

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [], unblocked: [] }
      : database.write("failJobs", context, (session) => {
          const now = session.now();
          const dependants: FailJobsResult["dependants"][number][] = [];
          const unblocked: FailJobsResult["unblocked"][number][] = [];
          const end = endFailed(session);
          const results = jobs.map(
            ({ jobId, leaseVersion, error }): FailJobsResult["results"][number] => {
              const ordinal = ordinals.take(jobId);
              recordAttempt(
                session,
                { jobId, leaseVersion, outcome: "failed", error: null, ordinal },
                now,
              );
              const { changes } =
                ordinal === undefined
                  ? session.run(byId, now, error, jobId, leaseVersion)
                  : session.run(byOrdinal, now, error, jobId, ordinal, leaseVersion);
              if (Number(changes) === 0) {
                return { kind: "lost", reason: leaseLost(session, jobId).reason };
              }
              // A loop, not a spread: many dependants would exceed the limit of arguments.
              const others = end(jobId, now);
              for (const job of others.dependants) dependants.push(job);
              for (const job of others.unblocked) unblocked.push(job);
              return { kind: "failed", failedAt: new Date(now) };
            },
          );
          return { results, dependants, unblocked };
        });
};
