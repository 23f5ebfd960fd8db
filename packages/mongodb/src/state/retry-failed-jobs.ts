// ↺ Failed jobs run again. Their sequence becomes unfinished, and is proposed for its deduplication key like
// a new one.
import type { OnBlockerFailure, RetryFailedResult, StateAdapter } from "queuert/internal";
import { isUnfinished, type KeyRequest, wasCancelled } from "../agreement/key-holders.ts";
import { acquireKeys, toKeyId } from "../agreement/key-proposals.ts";
import { agreeToWait } from "../agreement/waiter-handshake.ts";
import type { Database } from "../database.ts";
import { createStamp, type JobDocument, sequenceIdOf, toStateJob } from "../job-document.ts";
import { turnNow } from "../limit-keys/key-document.ts";
import type { SequenceDocuments } from "../sequences.ts";
import type { Scope } from "../store.ts";

type RetryFailedJobs = StateAdapter<object, object, string>["retryFailedJobs"];

export const retryFailedJobs =
  (db: Database): RetryFailedJobs =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return db.transact(context, async (scope) => {
      const blockers = await readBlockers(db, scope, ids);
      if (blockers.size === 0) return retryTogether(db, scope, ids);
      return retryInLevels(db, scope, ids, blockers);
    });
  };

interface OpenBlockers {
  readonly onBlockerFailure: OnBlockerFailure;
  readonly sequences: readonly SequenceDocuments[];
}

type Blockers = ReadonlyMap<string, OpenBlockers>;

/** The blocker because of which a job cannot be retried. */
const causeAmong = (
  { onBlockerFailure, sequences }: OpenBlockers = { onBlockerFailure: "wait", sequences: [] },
  retried: ReadonlySet<string>,
): SequenceDocuments | undefined => {
  if (onBlockerFailure === "continue") return undefined;
  const failed = onBlockerFailure === "fail" ? sequences.find(hasFailed(retried)) : undefined;
  return failed ?? sequences.find(wasCancelled);
};

/**
 * First the jobs without a failed blocker, all at once; then the jobs that wait for these, and so on. The
 * rest is refused.
 */
const retryInLevels = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
  blockers: Blockers,
): Promise<readonly RetryFailedResult[]> => {
  const results = new Map<number, RetryFailedResult>();
  const retried = new Set<string>();
  const causeOf = (id: string): SequenceDocuments | undefined =>
    retried.has(id) ? undefined : causeAmong(blockers.get(id), retried);
  let left = [...ids.entries()];
  for (;;) {
    const level = left.filter(([, id]) => causeOf(id) === undefined);
    if (level.length === 0) break;
    const decided = new Set(level.map(([index]) => index));
    left = left.filter(([index]) => !decided.has(index));
    const decisions = await retryTogether(
      db,
      scope,
      level.map(([, id]) => id),
    );
    level.forEach(([index, id], place) => {
      const result = decisions[place];
      if (result === undefined) throw new TypeError(`The retry of job ${id} has no result`);
      results.set(index, result);
      if (result.kind === "retried") retried.add(id);
    });
  }
  for (const [index, id] of left) {
    const cause = causeOf(id);
    if (cause !== undefined) results.set(index, refusedBy(cause));
  }
  return ids.flatMap((_, index) => results.get(index) ?? []);
};

/**
 * The blockers of the failed jobs, by job, as they are now. A transaction that ends such a sequence sees
 * that the job is about to wait for it again.
 */
const readBlockers = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
): Promise<Blockers> => {
  const waiting = await db.jobs.find(scope, {
    ...{ _id: { $in: ids }, status: "failed", openBlockers: { $exists: true } },
  });
  const open = waiting.flatMap(({ openBlockers }) => openBlockers ?? []);
  if (open.length === 0) return new Map();
  const sequences = await agreeToWait(db, scope, await db.sequences.find(scope, open));
  return new Map(
    waiting.map(({ _id, blockers = [], onBlockerFailure }): [string, OpenBlockers] => [
      _id,
      {
        onBlockerFailure: onBlockerFailure ?? "wait",
        sequences: blockers.flatMap((id) => sequences.get(id) ?? []),
      },
    ]),
  );
};

const hasFailed =
  (retried: ReadonlySet<string>) =>
  ({ current }: SequenceDocuments): boolean =>
    current.status === "failed" && !retried.has(current._id);

const refusedBy = (blocker: SequenceDocuments): RetryFailedResult => ({
  kind: "refused",
  reason: wasCancelled(blocker) ? "blocker_cancelled" : "blocker_failed",
  bySequenceId: blocker.first._id,
});

const retryTogether = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
): Promise<readonly RetryFailedResult[]> => {
  const found = await db.jobs.find(scope, { _id: { $in: ids } });
  const byId = new Map(found.map((document) => [document._id, document]));
  const failed = [...new Set(ids)]
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ status }) => status === "failed");
  const takenBy = await takeKeys(db, scope, failed);
  const retried = failed.flatMap(({ _id }) => (takenBy.has(_id) ? [] : [_id]));
  await retry(db, scope, retried);
  const after = await db.jobs.find(scope, { _id: { $in: retried } });
  await waitAgain(db, scope, after);
  const results = new Map<string, RetryFailedResult>();
  for (const [id, bySequenceId] of takenBy) {
    results.set(id, { kind: "refused", reason: "deduplication_key_taken", bySequenceId });
  }
  for (const job of after) results.set(job._id, { kind: "retried", job: toStateJob(job) });
  return ids.map((id): RetryFailedResult => {
    if (!byId.has(id)) return { kind: "refused", reason: "not_found" };
    const result = results.get(id);
    // A second element with the same id finds the job retried.
    results.delete(id);
    return result ?? { kind: "refused", reason: "not_failed" };
  });
};

/** Jobs with `onBlockerFailure: "continue"` had gone on without these sequences: those still there wait for them again. */
const waitAgain = async (
  { jobs }: Database,
  scope: Scope,
  retried: readonly JobDocument[],
): Promise<void> => {
  for (const job of retried) {
    if (!job.hasWaiters) continue;
    const id = sequenceIdOf(job);
    await jobs.updateMany(
      scope,
      { blockers: id, onBlockerFailure: "continue", openBlockers: { $exists: true } },
      { $addToSet: { openBlockers: id }, $set: { stamp: createStamp() } },
    );
  }
};

/** Lets the jobs' sequences hold their keys again. Returns, by job, another unfinished holder, if any. */
const takeKeys = async (
  db: Database,
  scope: Scope,
  failed: readonly JobDocument[],
): Promise<ReadonlyMap<string, string>> => {
  const sequences = await db.sequences.find(scope, failed.map(sequenceIdOf));
  const requests = new Map<string, KeyRequest>();
  const keyIds = new Map<string, string>();
  for (const job of failed) {
    const sequenceId = sequenceIdOf(job);
    const first = sequences.get(sequenceId)?.first;
    if (first?.deduplicationKey === undefined) continue;
    const keyId = toKeyId(first.typeName, first.deduplicationKey);
    keyIds.set(job._id, keyId);
    if (!requests.has(keyId)) {
      requests.set(keyId, { keyId, sequenceId, isRetry: true, isHeldBy: isUnfinished });
    }
  }
  const holders = await acquireKeys(db, scope, [...requests.values()]);
  return new Map(
    failed.flatMap((job): readonly (readonly [string, string])[] => {
      const keyId = keyIds.get(job._id);
      if (keyId === undefined) return [];
      // Of two jobs with one key the second finds the first, which is not written yet.
      const bySequenceId = holders.get(keyId)?.first._id ?? requests.get(keyId)?.sequenceId;
      const isTaken = bySequenceId !== undefined && bySequenceId !== sequenceIdOf(job);
      return isTaken ? [[job._id, bySequenceId]] : [];
    }),
  );
};

const retry = async ({ jobs }: Database, scope: Scope, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const isOpen = { $gt: [{ $size: { $ifNull: ["$openBlockers", []] } }, 0] };
  await jobs.updateMany(scope, { _id: { $in: ids }, status: "failed" }, [
    {
      $set: {
        status: { $cond: [isOpen, "blocked", "pending"] },
        attempt: 0,
        scheduledAt: "$$NOW",
        turnAt: turnNow,
        stamp: createStamp(),
      },
    },
    { $unset: ["finishedAt", "cascade"] },
  ]);
};
