// The handshake between the transactions that make jobs wait for a sequence ("waiters") and the
// transaction that ends the sequence ("ender"). See README.md in this folder for the sequence diagram.
//
// Under snapshot isolation the plain way, all writing one document, would abort all waiters but one.
// Instead both sides publish their intent outside their transactions, and then read the intents of the
// other side. Whichever reads last sees the other:
// - A waiter publishes "waiting" and waits for the transactions that published "ending". Then it reads,
//   outside its transaction, the state of the sequence.
// - An ender (end, failure, deletion) publishes "ending" and writes the markers of all "waiting" intents
//   that it does not see. An open waiter, or one committed after the ender's snapshot, makes that a
//   conflict: the ender starts again, with a snapshot in which the waiting job is visible.
//
// Ending a sequence without waiters must cost nothing. Therefore the first waiter sets `hasWaiters` on the
// sequence's current job, outside its transaction, and enders skip the handshake for jobs without it.
// - A transaction that has written the job earlier is waited for by that write.
// - A transaction that writes the job later, with a snapshot from before, runs into a conflict.
// - The price: a transaction that makes a job wait for a sequence without waiters, and then writes the
//   same sequence, conflicts once. Its second attempt finds `hasWaiters`.
import type { Database, Intent } from "../database.ts";
import { createStamp } from "../job-document.ts";
import type { SequenceDocuments } from "../sequences.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { createPatience, type Patience, retryUntilWritten } from "./retry-until-written.ts";
import { duplicateAsConflict } from "../driver-errors.ts";

type Sequences = ReadonlyMap<string, SequenceDocuments>;

/**
 * For a transaction whose jobs are about to wait for sequences. Returns the sequences as they are now,
 * also where the transaction's snapshot is older.
 */
export const agreeToWait = async (
  db: Database,
  scope: Scope,
  visible: Sequences,
): Promise<Sequences> => {
  const ids = [...visible.keys()].sort();
  const before = await db.sequences.find(outside, ids, { candidates: true });
  // A sequence that only this transaction sees, or has written, is its own. If it was deleted since, the
  // write inside conflicts.
  const isOwn = (id: string): boolean => {
    const currentIds = [before.get(id)?.current._id, visible.get(id)?.current._id];
    return currentIds.some((each) => each === undefined || db.jobs.isOwnWrite(scope, each));
  };
  await markInside(db, scope, visible, ids.filter(isOwn));
  const shared = ids.filter((id) => !isOwn(id));
  if (shared.length === 0) return visible;
  const patience = createPatience();
  await declare(db, scope, shared, "waiting");
  await markOutside(db, shared, before, patience);
  await awaitOutcomes(db, await findInvisibleMarkers(db, scope, shared, "ending"), patience);
  const after = await db.sequences.find(outside, shared, { candidates: true });
  return new Map(
    [...visible].flatMap(([id, seen]) => {
      if (isOwn(id)) return [[id, seen] as const];
      const sequence = after.get(id);
      return sequence === undefined ? [] : [[id, sequence] as const];
    }),
  );
};

/**
 * For a transaction that ends sequences whose current jobs it has written. When it resolves, the
 * transaction sees all waiters. Rejects when the transaction has to start again.
 */
export const agreeToEnd = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
): Promise<void> => {
  if (sequenceIds.length === 0) return;
  await declare(db, scope, sequenceIds, "ending");
  await insertMarkers(db, scope, await findInvisibleMarkers(db, scope, sequenceIds, "waiting"));
};

/** The marker first: a reader of the intent must not be able to write the marker. */
const declare = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
  intent: Intent,
): Promise<void> => {
  const markerId = createStamp();
  await insertMarkers(db, scope, [markerId]);
  await publishIntent(db, markerId, sequenceIds, intent);
};

const markInside = async (
  { jobs }: Database,
  scope: Scope,
  visible: Sequences,
  sequenceIds: readonly string[],
): Promise<void> => {
  if (sequenceIds.length === 0) return;
  const currentIds = sequenceIds.flatMap((id) => visible.get(id)?.current._id ?? []);
  const marked = { $set: { hasWaiters: true, lockStamp: createStamp() } };
  await jobs.updateMany(scope, { _id: { $in: currentIds.sort() } }, marked);
};

const isUnmarked = (sequence: SequenceDocuments | undefined): sequence is SequenceDocuments =>
  sequence !== undefined && sequence.current.hasWaiters !== true;

/** Waits for transactions that have written the jobs. If they continued a sequence, its new job is marked. */
const markOutside = async (
  db: Database,
  sequenceIds: readonly string[],
  before: Sequences,
  patience: Patience,
): Promise<void> => {
  let unmarked = sequenceIds.map((id) => before.get(id)).filter(isUnmarked);
  while (unmarked.length > 0) {
    const currentIds = unmarked.map(({ current }) => current._id).sort();
    const filter = { _id: { $in: currentIds }, hasWaiters: { $exists: false } };
    await retryUntilWritten(db, `waiters ${currentIds.join(" ")}`, patience, (scope) =>
      db.jobs.updateMany(scope, filter, { $set: { hasWaiters: true } }),
    );
    const ids = unmarked.map(({ first }) => first._id);
    const now = await db.sequences.find(outside, ids, { candidates: true });
    unmarked = ids.map((id) => now.get(id)).filter(isUnmarked);
  }
};

// An outcome marker lets other transactions see how a transaction ended. It is a document that the
// transaction inserts, and whose id it publishes outside itself beforehand.
// - While the transaction is open, no other sees the marker, and writing it is a conflict.
// - After a commit the marker is there. After a rollback another transaction can write it: the marker
//   is void from then on.

const stamped = (_id: string, fields: object = {}): UpdateOne => ({
  updateOne: {
    filter: { _id },
    // The server's clock: the TTL index goes by it.
    update: { $set: fields, $currentDate: { at: true } },
    upsert: true,
  },
});

/**
 * Inserts markers in the transaction.
 * - Its own marker: before the id is published.
 * - Markers of others: a conflict if the other transaction is open or was committed after the
 *   snapshot of this one. If it was rolled back, its marker becomes void.
 */
export const insertMarkers = async (
  { waits }: Database,
  scope: Scope,
  markerIds: readonly string[],
): Promise<void> => {
  if (markerIds.length === 0) return;
  const updates = markerIds.map((markerId) => stamped(markerId));
  await duplicateAsConflict(() => waits.bulkUpdate(scope, updates));
};

/** Publishes, outside the transaction with this marker, its intent for the sequences. */
const publishIntent = async (
  { waits }: Database,
  markerId: string,
  sequenceIds: readonly string[],
  intent: Intent,
): Promise<void> => {
  await waits.bulkUpdate(
    outside,
    sequenceIds.map((sequenceId) =>
      stamped(`${markerId}:${sequenceId}`, { sequenceId, markerId, intent }),
    ),
  );
};

/** The markers that this transaction sees: its own, and those committed before it began. */
export const findVisibleMarkers = async (
  { waits }: Database,
  scope: Scope,
  markerIds: readonly string[],
): Promise<Set<string>> => {
  if (markerIds.length === 0) return new Set();
  const found = await waits.find(scope, { _id: { $in: markerIds } }, { projection: { _id: 1 } });
  return new Set(found.map(({ _id }) => _id));
};

/** The markers of all intents published for the sequences so far, except those the transaction sees. */
export const findInvisibleMarkers = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
  intent: Intent,
): Promise<readonly string[]> => {
  const published = await db.waits.find(
    outside,
    { sequenceId: { $in: sequenceIds }, intent },
    { projection: { markerId: 1 }, candidates: true },
  );
  const markerIds = [...new Set(published.flatMap(({ markerId }) => markerId ?? []))].sort();
  const visible = await findVisibleMarkers(db, scope, markerIds);
  return markerIds.filter((markerId) => !visible.has(markerId));
};

// A marker that is there keeps its time: nothing is changed.
const voidUnlessThere = (markerId: string): UpdateOne => ({
  updateOne: {
    filter: { _id: markerId },
    update: [{ $set: { at: { $ifNull: ["$at", "$$NOW"] } } }],
    upsert: true,
  },
});

/** Waits until the transactions of these markers have ended: until then the markers cannot be written. */
export const awaitOutcomes = async (
  db: Database,
  markerIds: readonly string[],
  patience: Patience,
): Promise<void> => {
  if (markerIds.length === 0) return;
  await retryUntilWritten(db, `outcomes ${markerIds.join(" ")}`, patience, (scope) =>
    // A duplicate: the transaction, or another waiter, was faster.
    duplicateAsConflict(() => db.waits.bulkUpdate(scope, markerIds.map(voidUnlessThere))),
  );
};
