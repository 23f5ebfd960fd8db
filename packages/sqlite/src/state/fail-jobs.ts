// Running jobs fail for good, and with them their dependants that are to fail with a blocker.
import type { FailJobsResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createFailDependants } from "../steps/end-sequence.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const failJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["failJobs"] => {
  const fail = `
UPDATE ${database.names.job} SET status = 'failed', finished_at = ?, last_attempt_error = ?,
  leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ?
RETURNING coalesce(sequence_id, id)`;
  const recordAttempt = createRecordAttempt(database.names);
  const leaseLost = createLeaseLostReason(database.names);
  const failDependants = createFailDependants(database.names);

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [], unblocked: [] }
      : database.write("failJobs", context, (session) => {
          const now = session.now();
          const dependants: FailJobsResult["dependants"][number][] = [];
          const unblocked: FailJobsResult["unblocked"][number][] = [];
          const results = jobs.map(
            ({ jobId, leaseVersion, error }): FailJobsResult["results"][number] => {
              recordAttempt(session, { jobId, leaseVersion, outcome: "failed", error }, now);
              const held = session.get<[sequenceId: string]>(fail, now, error, jobId, leaseVersion);
              if (held === undefined) {
                return { kind: "lost", reason: leaseLost(session, jobId).reason };
              }
              const [sequenceId] = held;
              // A loop, not a spread: many dependants would exceed the limit of arguments.
              const others = failDependants(session, sequenceId, now);
              for (const job of others.dependants) dependants.push(job);
              for (const job of others.unblocked) unblocked.push(job);
              return { kind: "failed", failedAt: new Date(now) };
            },
          );
          return { results, dependants, unblocked };
        });
};
