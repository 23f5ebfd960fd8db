// Failed jobs run again. Their sequence becomes unfinished, so it is put forward for its deduplication key as a new one is.
import type { RetryFailedResult, StateAdapter } from "queuert/internal";
import { announceWaiting } from "../announcements.ts";
import type { Database } from "../database.ts";
import { type JobDocument, sequenceIdOf, toStateJob } from "../job-document.ts";
import { findSequences, type SequenceDocuments } from "../sequences.ts";
import type { Scope } from "../store.ts";
import { createToken } from "../token.ts";
import { claimKeys, toKeyId } from "./key-claims.ts";
import { isUnfinished, type KeyClaim } from "./key-holders.ts";

type RetryFailedJobs = StateAdapter<object, object, string>["retryFailedJobs"];

export const createRetryFailedJobs =
  (db: Database): RetryFailedJobs =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return db.transact(context, async (scope) => {
      const blockers = await readBlockers(db, scope, ids);
      if (blockers.size === 0) return retryTogether(db, scope, ids);
      return retryInLevels(db, scope, ids, blockers);
    });
  };

type Blockers = ReadonlyMap<string, readonly SequenceDocuments[]>;

/** Those that wait for none that is failed, all at once; then those that wait for these, and so on; who is left is refused. */
const retryInLevels = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
  blockers: Blockers,
): Promise<readonly RetryFailedResult[]> => {
  const results = new Map<number, RetryFailedResult>();
  const retried = new Set<string>();
  const causeOf = (id: string): SequenceDocuments | undefined =>
    retried.has(id) ? undefined : blockers.get(id)?.find(hasFailed(retried));
  let left = [...ids.entries()];
  for (;;) {
    const level = left.filter(([, id]) => causeOf(id) === undefined);
    if (level.length === 0) break;
    const decided = new Set(level.map(([index]) => index));
    left = left.filter(([index]) => !decided.has(index));
    const answers = await retryTogether(
      db,
      scope,
      level.map(([, id]) => id),
    );
    level.forEach(([index, id], place) => {
      const result = answers[place];
      if (result === undefined) throw new TypeError(`Nothing is decided about job ${id}`);
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
 * What the failed jobs among these wait for and would fail with, by job: as it is now, and whoever ends such a sequence sees
 * who is about to wait for it again.
 */
const readBlockers = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
): Promise<Blockers> => {
  const waiting = await db.jobs.find(scope, {
    ...{ _id: { $in: ids }, status: "failed", onBlockerFailure: "fail" },
  });
  const open = waiting.flatMap(({ openBlockers }) => openBlockers ?? []);
  if (open.length === 0) return new Map();
  const sequences = await announceWaiting(db, scope, await findSequences(db, scope, open));
  return new Map(
    waiting.map(({ _id, blockers = [] }) => [
      _id,
      blockers.flatMap((id) => sequences.get(id) ?? []),
    ]),
  );
};

const hasFailed =
  (retried: ReadonlySet<string>) =>
  ({ current }: SequenceDocuments): boolean =>
    current.status === "failed" && !retried.has(current._id);

const refusedBy = ({ first }: SequenceDocuments): RetryFailedResult => ({
  ...{ kind: "refused", reason: "blocker_failed", bySequenceId: first._id },
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
  const results = new Map<string, RetryFailedResult>();
  for (const [id, bySequenceId] of takenBy) {
    results.set(id, { kind: "refused", reason: "deduplication_key_taken", bySequenceId });
  }
  for (const job of after) results.set(job._id, { kind: "retried", job: toStateJob(job) });
  return ids.map((id): RetryFailedResult => {
    if (!byId.has(id)) return { kind: "refused", reason: "not_found" };
    const result = results.get(id);
    // The same id again finds its job retried.
    results.delete(id);
    return result ?? { kind: "refused", reason: "not_failed" };
  });
};

/** Makes the jobs' sequences stand for their keys again; answers, by job, another unfinished one that does already. */
const takeKeys = async (
  db: Database,
  scope: Scope,
  failed: readonly JobDocument[],
): Promise<ReadonlyMap<string, string>> => {
  const sequences = await findSequences(db, scope, failed.map(sequenceIdOf));
  const claims = new Map<string, KeyClaim>();
  const keyIds = new Map<string, string>();
  for (const job of failed) {
    const sequenceId = sequenceIdOf(job);
    const first = sequences.get(sequenceId)?.first;
    if (first?.deduplicationKey === undefined) continue;
    const keyId = toKeyId(first.typeName, first.deduplicationKey);
    keyIds.set(job._id, keyId);
    if (!claims.has(keyId)) {
      claims.set(keyId, { keyId, sequenceId, isRetry: true, isHeldBy: isUnfinished });
    }
  }
  const holders = await claimKeys(db, scope, [...claims.values()]);
  return new Map(
    failed.flatMap((job): readonly (readonly [string, string])[] => {
      const keyId = keyIds.get(job._id);
      if (keyId === undefined) return [];
      // Of two with one key the second finds the first, which is not written yet.
      const bySequenceId = holders.get(keyId)?.first._id ?? claims.get(keyId)?.sequenceId;
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
        token: createToken(),
      },
    },
    { $unset: "finishedAt" },
  ]);
};
