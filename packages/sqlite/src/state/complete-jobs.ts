// Step 6 of the walk: outputs are stored, sequences continue (7a), and dependants of a completed sequence are released (7b).
// It is one transaction, the caller's or its own. An element whose lease is lost changes nothing for the others.
import type {
  CompletionResult,
  JobCompletion,
  StateAdapter,
  StateJob,
  UnblockedJob,
} from "queuert/internal";
import type { Database } from "../database.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createEndSequence } from "../steps/end-sequence.ts";
import { createBeginInserts } from "../steps/insert-job.ts";
import { createWakeKeys } from "../steps/wake-keys.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

const statements = ({ job }: TableNames) => {
  const complete = (condition: string): string => `
UPDATE ${job} SET status = 'completed', output = ?, continued_to_id = ?, finished_at = ?, completed_by = ?, completed_lease = ?,
  leased_by = NULL, leased_until = NULL
WHERE id = ? AND ${condition}`;
  return {
    leased: complete("status = 'running' AND lease_version = ?"),
    acquired: complete("status = 'running' AND lease_version = ? AND ordinal = ?"),
    unfinished: complete("status IN ('blocked', 'pending', 'running')"),
    continueTo: `UPDATE ${job} SET continued_to_id = ? WHERE id = ?`,
  };
};

export const completeJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["completeJobs"] => {
  const sql = statements(database.names);
  const beginInserts = createBeginInserts(database.names, database.nextId);
  const endSequence = createEndSequence(database.names);
  const leaseLost = createLeaseLostReason(database.names);
  const markCompleted = createMarkCompleted(database);
  const wakeKeys = createWakeKeys(database.names);
  const { ordinals } = database;

  const lost = (session: Session, { jobId, leaseVersion }: JobCompletion): CompletionResult => {
    const { reason, completedLease } = leaseLost(session, jobId);
    const storedByThisLease = leaseVersion !== null && completedLease === leaseVersion;
    return { kind: "lost", reason, storedByThisLease };
  };

  return async ({ context, workerId, completions }) => {
    if (completions.length === 0) return { results: [], unblocked: [] };
    return database.write("completeJobs", context, (session) => {
      const now = session.now();
      const unblocked: UnblockedJob[] = [];
      const insert = beginInserts(session, now);
      const end = endSequence(session);
      const mark = markCompleted(session, workerId, now);
      const wake = wakeKeys(session);
      const results = completions.map((completion): CompletionResult => {
        const { jobId, outcome } = completion;
        const ordinal = ordinals.take(jobId);
        if (!mark(completion, ordinal)) return lost(session, completion);
        // The statement for a lease has checked that it is the ordinal of this id.
        wake(jobId, completion.leaseVersion === null ? undefined : ordinal);
        let continuation: StateJob | null = null;
        if (outcome.kind === "output") {
          // A loop, not a spread: many dependants would exceed the limit of arguments.
          for (const job of end(jobId)) unblocked.push(job);
        } else if (outcome.kind === "continuation") {
          continuation = insert(outcome.job).job;
          session.run(sql.continueTo, continuation.id, jobId);
        }
        return { kind: "completed", completedAt: new Date(now), continuation };
      });
      return { results, unblocked };
    });
  };
};

/** For one step: writes a completion, and returns whether its lease was held. */
const createMarkCompleted = <TTxContext extends object, TContext extends object>({
  names,
}: Database<TTxContext, TContext>) => {
  const sql = statements(names);

  return (session: Session, workerId: string | null, now: number) => {
    const acquired = session.prepare(sql.acquired);
    return ({ jobId, leaseVersion, outcome }: JobCompletion, ordinal?: number): boolean => {
      const output = outcome.kind === "output" ? outcome.output : null;
      const continuedToId = outcome.kind === "continuedTo" ? outcome.jobId : null;
      const lease = leaseVersion;
      if (lease === null) {
        const written = [output, continuedToId, now, workerId, null, jobId] as const;
        return Number(session.run(sql.unfinished, ...written).changes) === 1;
      }
      const { changes } =
        ordinal === undefined
          ? session.run(sql.leased, output, continuedToId, now, workerId, lease, jobId, lease)
          : acquired.run(output, continuedToId, now, workerId, lease, jobId, lease, ordinal);
      return Number(changes) === 1;
    };
  };
};
