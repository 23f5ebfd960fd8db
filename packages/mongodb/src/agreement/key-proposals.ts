// Which start gets a deduplication key. Each start proposes its sequence for the key, outside its
// transaction; the key's document keeps the order of the proposals. Each start then waits until the
// transactions of all earlier proposals have ended, even if its own snapshot is older, and decides by their
// outcomes. Of many starts with one key at once, in transactions of their own, one creates the sequence
// and the others find it. None is aborted.
import type { Database, KeyDocument, Proposal } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { createStamp, type JobDocument } from "../job-document.ts";
import type { SequenceDocuments } from "../sequences.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { awaitHolders, findHolder, type KeyRequest, readProposed } from "./key-holders.ts";
import { awaitOutcomes, findInvisibleMarkers, insertMarkers } from "./waiter-handshake.ts";
import { createPatience } from "./retry-until-written.ts";

export const toKeyId = (typeName: string, key: string): string => `${typeName}\0${key}`;

/** The key of an id that a caller gives. No type has an empty name. */
export const toIdKey = (id: string): string => toKeyId("", id);

/**
 * Returns, by key, the sequence that holds the key already. For each other key the requested sequence is
 * proposed, and all earlier proposals have ended without a holder.
 */
export const acquireKeys = async (
  db: Database,
  scope: Scope,
  requests: readonly KeyRequest[],
): Promise<ReadonlyMap<string, SequenceDocuments>> => {
  const holders = await findSettledHolders(db, scope, requests);
  const open = requests.filter(({ keyId }) => !holders.has(keyId));
  if (open.length === 0) return holders;
  // One marker for all: they commit or roll back together.
  const markerId = createStamp();
  await insertMarkers(db, scope, [markerId]);
  const earlier = await propose(db, open, markerId);
  const found = await awaitHolders(db, scope, open, earlier);
  for (const [keyId, holder] of found) holders.set(keyId, holder);
  await withdraw(db, [...found.keys()], markerId);
  return holders;
};

/**
 * The sequences that hold their keys before anything is proposed. If a transaction is about to delete one,
 * it is waited for: a deleted sequence has not held its key. A transaction that declares the deletion
 * later comes after this start.
 */
const findSettledHolders = async (
  db: Database,
  scope: Scope,
  requests: readonly KeyRequest[],
): Promise<Map<string, SequenceDocuments>> => {
  const stored = await readProposals(db, requests);
  const proposals = [...stored.values()].flat();
  const patience = createPatience();
  const ended = new Set<string>();
  for (;;) {
    const known = await readProposed(db, scope, proposals);
    const holders = new Map<string, SequenceDocuments>();
    for (const request of requests) {
      const holder = findHolder(request, stored.get(request.keyId) ?? [], known);
      if (holder !== undefined) holders.set(request.keyId, holder);
    }
    if (holders.size === 0) return holders;
    const ids = [...new Set([...holders.values()].map(({ first }) => first._id))].sort();
    const ending = await findInvisibleMarkers(db, scope, ids, "ending");
    const open = ending.filter((markerId) => !ended.has(markerId));
    if (open.length === 0) return holders;
    await awaitOutcomes(db, open, patience);
    for (const markerId of open) ended.add(markerId);
  }
};

/** Removes proposals that are not needed: other sequences hold the keys. */
const withdraw = async (
  { keys }: Database,
  keyIds: readonly string[],
  markerId: string,
): Promise<void> => {
  if (keyIds.length === 0) return;
  const update = { $pull: { proposals: { markerId } } };
  await keys.updateMany(outside, { _id: { $in: [...keyIds].sort() } }, update);
};

const readProposals = async (
  { keys }: Database,
  requests: readonly KeyRequest[],
): Promise<Map<string, readonly Proposal[]>> => {
  const ids = requests.map(({ keyId }) => keyId);
  const found = await keys.find(outside, { _id: { $in: ids } }, { candidates: true });
  const byKey = new Map(found.map(({ _id, proposals }) => [_id, proposals]));
  // A sequence may have the id that was never proposed for it.
  for (const { keyId, sequenceId, isGivenId } of requests) {
    if (isGivenId) byKey.set(keyId, [{ sequenceId, markerId: "" }]);
  }
  return byKey;
};

/** Returns, by key, the proposals before the one that is added here. */
const propose = async (
  db: Database,
  requests: readonly KeyRequest[],
  markerId: string,
): Promise<Map<string, readonly Proposal[]>> => {
  const sorted = [...requests].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const found =
    sorted.length <= 1
      ? await addProposals(db, outside, sorted, markerId)
      : // In one transaction: of two starts with several keys, one is first at each of them.
        await db.transact(undefined, (tx) => addProposals(db, tx, sorted, markerId));
  const givenIds = new Set(requests.flatMap((each) => (each.isGivenId ? [each.keyId] : [])));
  return new Map(
    found.map(({ _id, proposals }) => {
      const index = proposals.findIndex((proposal) => proposal.markerId === markerId);
      // With the own proposal the sequence of the id is read, if it was stored without a proposal.
      return [_id, proposals.slice(0, givenIds.has(_id) ? index + 1 : index)];
    }),
  );
};

const addProposals = async (
  { keys }: Database,
  scope: Scope,
  requests: readonly KeyRequest[],
  markerId: string,
): Promise<readonly KeyDocument[]> => {
  const updates = requests.map(({ keyId, sequenceId, isRetry }): UpdateOne => {
    const proposal = { sequenceId, markerId, ...(isRetry && { isRetry }) };
    // By id alone: then the server itself repairs two upserts at once. A set: not twice when repeated.
    const update = { $addToSet: { proposals: proposal } };
    return { updateOne: { filter: { _id: keyId }, update, upsert: true } };
  });
  const write = (): Promise<number> => keys.bulkUpdate(scope, updates);
  await (scope.session === undefined ? write() : duplicateAsConflict(write));
  const ids = requests.map(({ keyId }) => keyId);
  return keys.find(scope, { _id: { $in: ids } }, { candidates: true });
};

/** Removes deleted sequences from their keys. Called after the deletion is committed. */
export const removeFromKeys = async (
  { keys }: Database,
  deleted: readonly JobDocument[],
): Promise<void> => {
  const removed = new Map<string, string[]>();
  for (const { _id, typeName, deduplicationKey, hasGivenId } of deleted) {
    if (hasGivenId) removed.set(toIdKey(_id), [_id]);
    if (deduplicationKey === undefined) continue;
    const keyId = toKeyId(typeName, deduplicationKey);
    removed.set(keyId, [...(removed.get(keyId) ?? []), _id]);
  }
  if (removed.size === 0) return;
  const updates = [...removed].sort().map(([_id, sequenceIds]): UpdateOne => ({
    updateOne: {
      filter: { _id },
      update: { $pull: { proposals: { sequenceId: { $in: sequenceIds } } } },
    },
  }));
  await keys.bulkUpdate(outside, updates);
  await keys.deleteMany(outside, { _id: { $in: [...removed.keys()] }, proposals: [] });
};
