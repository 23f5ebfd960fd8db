// Steps 5 and 6 of the page: outcomes are stored, and dependants are released or fail.
import type {
  CompletionResult,
  JobCompletion,
  LeaseLostReason,
  UnblockedJob,
} from "queuert/internal";
import { blockerFailedError } from "queuert/internal";
import {
  blockersOf,
  dependantsOf,
  hasStatus,
  heldBy,
  insert,
  isFinished,
  noLease,
  put,
  sequenceOf,
  toReference,
  toStateJob,
} from "./rows.ts";
import type { Data, Database, Method, Row } from "./snapshot.ts";

export const completeJobs =
  (database: Database): Method<"completeJobs"> =>
  async ({ context, workerId, completions }) =>
    completions.length === 0
      ? { results: [], unblocked: [] }
      : database.write(context, (data, now) => {
          const unblocked: UnblockedJob[] = [];
          const results = completions.map((completion) =>
            complete(data, completion, workerId, unblocked, now),
          );
          return { results, unblocked };
        });

const complete = (
  data: Data,
  { jobId, leaseVersion, outcome }: JobCompletion,
  workerId: string | null,
  unblocked: UnblockedJob[],
  now: number,
): CompletionResult => {
  const row = leaseVersion === null ? unfinished(data, jobId) : heldBy(data, jobId, leaseVersion);
  if (typeof row === "string") {
    const stored = data.rows[jobId]?.completedByLease;
    const storedByThisLease = leaseVersion !== null && stored === leaseVersion;
    return { kind: "lost", reason: row, storedByThisLease };
  }
  const next = outcome.kind === "continuation" ? insert(data, outcome.job, now) : null;
  put(data, row, {
    ...noLease,
    status: "completed",
    output: outcome.kind === "output" ? outcome.output : null,
    continuedToId: outcome.kind === "continuedTo" ? outcome.jobId : (next?.id ?? null),
    completedBy: workerId,
    completedByLease: leaseVersion,
    finishedAt: now,
  });
  if (outcome.kind === "output") unblocked.push(...release(data, row.sequenceId, now));
  const continuation = next === null ? null : toStateJob(next);
  return { kind: "completed", completedAt: new Date(now), continuation };
};

const unfinished = (data: Data, jobId: string): Row | LeaseLostReason => {
  const row = data.rows[jobId];
  if (row === undefined) return "not_found";
  if (row.status === "cancelled") return "cancelled";
  return isFinished(row) ? "already_completed" : row;
};

const release = (data: Data, sequenceId: string, now: number): readonly UnblockedJob[] =>
  dependantsOf(data, sequenceId)
    .filter(({ id }) => blockersOf(data, id).every((one) => hasStatus(data, one, "completed")))
    .map((row) => {
      put(data, row, { status: "pending", releasedAt: now });
      return { ...toReference(row), unblockedBySequenceId: sequenceId };
    });

export const failJobs =
  (database: Database): Method<"failJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [] }
      : database.write(context, (data, now) => {
          const dependants: ReturnType<typeof failDependants>[number][] = [];
          const results = jobs.map(({ jobId, leaseVersion, error }) => {
            const row = heldBy(data, jobId, leaseVersion);
            if (typeof row === "string") return { kind: "lost", reason: row } as const;
            fail(data, row, error, now);
            dependants.push(...failDependants(data, row.sequenceId, now));
            return { kind: "failed", failedAt: new Date(now) } as const;
          });
          return { results, dependants };
        });

const fail = (data: Data, row: Row, lastAttemptError: string, finishedAt: number): void => {
  put(data, row, { ...noLease, status: "failed", lastAttemptError, finishedAt });
};

/** Blocked jobs with `onBlockerFailure: "fail"` fail with the sequence that they wait for, and theirs in turn. */
export const failDependants = (data: Data, sequenceId: string, now: number) => {
  const failed: (ReturnType<typeof toReference> & { readonly error: string })[] = [];
  const sequenceIds = [sequenceId];
  // The list grows during the loop.
  for (const id of sequenceIds) {
    const error = blockerFailedError(id);
    for (const row of dependantsOf(data, id)) {
      if (row.onBlockerFailure !== "fail") continue;
      fail(data, row, error, now);
      failed.push({ ...toReference(row), error });
      sequenceIds.push(row.sequenceId);
    }
  }
  return failed;
};

/** For `retryFailedJobs`: whether the sequence is still there and unfinished. */
export const isOpen = (data: Data, sequenceId: string): boolean => {
  const current = sequenceOf(data, sequenceId)?.current;
  return current !== undefined && !isFinished(current);
};
