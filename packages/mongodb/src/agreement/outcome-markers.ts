// An outcome marker lets other transactions see how a transaction ended. It is a document that the
// transaction inserts, and whose id it publishes outside itself beforehand.
// - While the transaction is open, no other sees the marker, and writing it is a conflict.
// - After a commit the marker is there. After a rollback another transaction can write it: the marker
//   is void from then on.
import type { Database, Intent } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { type Patience, retryUntilWritten } from "./retry-until-written.ts";

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
export const publishIntent = async (
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
