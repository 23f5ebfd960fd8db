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

/** Releases the jobs that waited for this sequence last. With "continue" a job waits for no sequence that has ended. */
export const release = (data: Data, sequenceId: string, now: number): readonly UnblockedJob[] =>
  dependantsOf(data, sequenceId)
    .filter((row) => blockersOf(data, row.id).every((one) => isDone(data, row, one)))
    .map((row) => {
      put(data, row, { status: "pending", releasedAt: now });
      return { ...toReference(row), unblockedBySequenceId: sequenceId };
    });

export const isDone = (data: Data, { onBlockerFailure }: Row, sequenceId: string): boolean =>
  hasStatus(data, sequenceId, "completed") ||
  (onBlockerFailure === "continue" &&
    (hasStatus(data, sequenceId, "failed") || hasStatus(data, sequenceId, "cancelled")));

export const failJobs =
  (database: Database): Method<"failJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [], unblocked: [] }
      : database.write(context, (data, now) => {
          const dependants: ReturnType<typeof failDependants>["dependants"][number][] = [];
          const unblocked: UnblockedJob[] = [];
          const results = jobs.map(({ jobId, leaseVersion, error }) => {
            const row = heldBy(data, jobId, leaseVersion);
            if (typeof row === "string") return { kind: "lost", reason: row } as const;
            fail(data, row, error, now);
            const others = failDependants(data, row.sequenceId, now);
            dependants.push(...others.dependants);
            unblocked.push(...others.unblocked);
            return { kind: "failed", failedAt: new Date(now) } as const;
          });
          return { results, dependants, unblocked };
        });

const fail = (data: Data, row: Row, lastAttemptError: string, finishedAt: number): void => {
  put(data, row, { ...noLease, status: "failed", lastAttemptError, finishedAt });
};

/** Blocked jobs with `onBlockerFailure: "fail"` fail with the sequence that they wait for, and theirs in turn. */
export const failDependants = (data: Data, sequenceId: string, now: number) => {
  const failed: (ReturnType<typeof toReference> & { readonly error: string })[] = [];
  const unblocked: UnblockedJob[] = [];
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
    unblocked.push(...release(data, id, now));
  }
  return { dependants: failed, unblocked };
};

/** For `retryFailedJobs`: whether the sequence is still there and unfinished. */
export const isOpen = (data: Data, sequenceId: string): boolean => {
  const current = sequenceOf(data, sequenceId)?.current;
  return current !== undefined && !isFinished(current);
};
