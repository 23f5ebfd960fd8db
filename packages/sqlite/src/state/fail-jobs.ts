// A running job fails for good, and with it those that are not to outlive a blocker.
import type { FailJobsResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createFailDependants, type FailedDependant } from "../steps/fail-dependants.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const failJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["failJobs"] => {
  const fail = `
UPDATE ${database.names.job} SET status = 'failed', finished_at = ?, last_attempt_error = ?,
  leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ?
RETURNING coalesce(sequence_id, id)`;
  const leaseLost = createLeaseLostReason(database.names);
  const failDependants = createFailDependants(database.names);

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [] }
      : database.write(context, (session) => {
          const now = session.now();
          const dependants: FailedDependant[] = [];
          const results = jobs.map(
            ({ jobId, leaseVersion, error }): FailJobsResult["results"][number] => {
              const row = session.get<[string]>(fail, now, error, jobId, leaseVersion);
              if (row === undefined) {
                return { kind: "lost", reason: leaseLost(session, jobId).reason };
              }
              // A loop, not a spread: arguments have a limit that many dependants may reach.
              for (const job of failDependants(session, row[0], now)) dependants.push(job);
              return { kind: "failed", failedAt: new Date(now) };
            },
          );
          return { results, dependants };
        });
};
