// Who gets a deduplication key. Everybody who wants one puts a sequence forward, outside of their transaction: the key's
// document keeps the order. Then each waits for those before it to commit or to roll back, whatever its own snapshot, and
// decides by what they left. So of many that start with one key at once, in transactions of their own, one creates the
// sequence and the others find it; none is aborted.
import type { Database, KeyDocument, KeyEntry } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { findInvisibleMarks, insertMarks, untilMarked, waitDeadline } from "../marks.ts";
import type { SequenceDocuments } from "../sequences.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { createToken } from "../token.ts";
import { awaitHolders, findHolder, type KeyClaim, readSequences } from "./key-holders.ts";

export const toKeyId = (typeName: string, key: string): string => `${typeName}\0${key}`;

/**
 * Finds for each key a sequence that stands for it already, or puts one forward and waits until it is sure that there is
 * none. A key that a found sequence stands for is not waited for any longer, and maybe not claimed at all.
 */
export const claimKeys = async (
  db: Database,
  scope: Scope,
  claims: readonly KeyClaim[],
): Promise<ReadonlyMap<string, SequenceDocuments>> => {
  const holders = await findSettled(db, scope, claims);
  const open = claims.filter(({ keyId }) => !holders.has(keyId));
  if (open.length === 0) return holders;
  // One mark for all: they share their fate.
  const markId = createToken();
  await insertMarks(db, scope, [markId]);
  const before = await putForward(db, open, markId);
  const found = await awaitHolders(db, scope, open, before);
  for (const [keyId, holder] of found) holders.set(keyId, holder);
  await withdraw(db, [...found.keys()], markId);
  return holders;
};

/**
 * Those that stand for their keys already. One that somebody is about to delete is waited for: if it goes, it has not stood
 * for its key. Whoever tells to delete it only now comes after this start.
 */
const findSettled = async (
  db: Database,
  scope: Scope,
  claims: readonly KeyClaim[],
): Promise<Map<string, SequenceDocuments>> => {
  const stored = await readEntries(db, claims);
  const entries = [...stored.values()].flat();
  const deadline = waitDeadline();
  const ended = new Set<string>();
  for (;;) {
    const known = await readSequences(db, scope, entries);
    const holders = new Map<string, SequenceDocuments>();
    for (const claim of claims) {
      const holder = findHolder(claim, stored.get(claim.keyId) ?? [], known);
      if (holder !== undefined) holders.set(claim.keyId, holder);
    }
    if (holders.size === 0) return holders;
    const ids = [...new Set([...holders.values()].map(({ first }) => first._id))].sort();
    const ending = await findInvisibleMarks(db, scope, ids, "ending");
    const open = ending.filter((markId) => !ended.has(markId));
    if (open.length === 0) return holders;
    await untilMarked(db, open, deadline);
    for (const markId of open) ended.add(markId);
  }
};

/** Takes back what was put forward in vain: other sequences stand for the keys. */
const withdraw = async (
  { keys }: Database,
  keyIds: readonly string[],
  markId: string,
): Promise<void> => {
  if (keyIds.length === 0) return;
  const update = { $pull: { entries: { markId } } };
  await keys.updateMany(outside, { _id: { $in: [...keyIds].sort() } }, update);
};

/** What has been put forward so far. */
const readEntries = async (
  { keys }: Database,
  claims: readonly KeyClaim[],
): Promise<Map<string, readonly KeyEntry[]>> => {
  const ids = claims.map(({ keyId }) => keyId);
  const found = await keys.find(outside, { _id: { $in: ids } }, { candidates: true });
  return new Map(found.map(({ _id, entries }) => [_id, entries]));
};

/** The entries before each claim's own. */
const putForward = async (
  db: Database,
  claims: readonly KeyClaim[],
  markId: string,
): Promise<Map<string, readonly KeyEntry[]>> => {
  const sorted = [...claims].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const found =
    sorted.length <= 1
      ? await addEntries(db, outside, sorted, markId)
      : // All at once: of two who want several keys, one is before the other at each of them.
        await db.transact(undefined, (tx) => addEntries(db, tx, sorted, markId));
  return new Map(
    found.map(({ _id, entries }) => {
      const index = entries.findIndex((entry) => entry.markId === markId);
      return [_id, entries.slice(0, index)];
    }),
  );
};

const addEntries = async (
  { keys }: Database,
  scope: Scope,
  claims: readonly KeyClaim[],
  markId: string,
): Promise<readonly KeyDocument[]> => {
  const updates = claims.map(({ keyId, sequenceId, isRetry }): UpdateOne => {
    const entry = { sequenceId, markId, ...(isRetry && { isRetry }) };
    // By id alone: then the server itself mends two upserts at once. A set: not twice when repeated.
    const update = { $addToSet: { entries: entry } };
    return { updateOne: { filter: { _id: keyId }, update, upsert: true } };
  });
  const write = (): Promise<number> => keys.bulkUpdate(scope, updates);
  await (scope.session === undefined ? write() : duplicateAsConflict(write));
  const ids = claims.map(({ keyId }) => keyId);
  return keys.find(scope, { _id: { $in: ids } }, { candidates: true });
};
