// What a transaction leaves for others to see what became of it: a document that it inserts, and whose name it has told
// outside. Others cannot see it while the transaction is open; but they can try to write it, which is a conflict until the
// end. If nothing was committed, the mark of another is written in its place: void.
import type { Database } from "./database.ts";
import { duplicateAsConflict } from "./driver-errors.ts";
import { outside, type Scope, type UpdateOne } from "./store.ts";
import { untilWritten } from "./until-written.ts";

export interface WaitDocument {
  readonly _id: string;
  /** Of an announcement: the sequence that it is about, */
  readonly sequenceId?: string;
  /** the mark that it names, */
  readonly markId?: string;
  /** and what the transaction is about to do. */
  readonly intent?: "waiting" | "ending";
  /** Both are removed by a TTL index, long after the longest transaction. */
  readonly at: Date;
}

const waitMsMax = 5_000;

/**
 * Until when a transaction waits for others. Most end within milliseconds. Two that wait for each other are a deadlock, of
 * which the server knows nothing: the one with the shorter patience starts again, and the other goes on.
 */
export const waitDeadline = (): number =>
  performance.now() + waitMsMax * (0.4 + 0.6 * Math.random());

const stamped = (_id: string, fields: object = {}): UpdateOne => ({
  updateOne: {
    filter: { _id },
    // The server's clock: the TTL index goes by it.
    update: { $set: fields, $currentDate: { at: true } },
    upsert: true,
  },
});

/**
 * Inserts marks in the transaction: its own, before anybody is told of it, or those of others. Of these, one that is open
 * or was committed after the snapshot was taken is a conflict, and one that was rolled back is void from now on.
 */
export const insertMarks = async (
  { waits }: Database,
  scope: Scope,
  markIds: readonly string[],
): Promise<void> => {
  if (markIds.length === 0) return;
  const updates = markIds.map((markId) => stamped(markId));
  await duplicateAsConflict(() => waits.bulkUpdate(scope, updates));
};

/** Tells, outside, what the transaction with this mark is about to do. */
export const announceMark = async (
  { waits }: Database,
  markId: string,
  sequenceIds: readonly string[],
  intent: "waiting" | "ending",
): Promise<void> => {
  await waits.bulkUpdate(
    outside,
    sequenceIds.map((sequenceId) =>
      stamped(`${markId}:${sequenceId}`, { sequenceId, markId, intent }),
    ),
  );
};

/** Whose marks this transaction sees: its own, and those committed before it began. */
export const findVisibleMarks = async (
  { waits }: Database,
  scope: Scope,
  markIds: readonly string[],
): Promise<Set<string>> => {
  if (markIds.length === 0) return new Set();
  const found = await waits.find(scope, { _id: { $in: markIds } }, { projection: { _id: 1 } });
  return new Set(found.map(({ _id }) => _id));
};

/** The marks told about sequences so far, but for those this transaction sees. */
export const findInvisibleMarks = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
  intent: "waiting" | "ending",
): Promise<readonly string[]> => {
  const told = await db.waits.find(
    outside,
    { sequenceId: { $in: sequenceIds }, intent },
    { projection: { markId: 1 }, candidates: true },
  );
  const markIds = [...new Set(told.flatMap(({ markId }) => markId ?? []))].sort();
  const visible = await findVisibleMarks(db, scope, markIds);
  return markIds.filter((markId) => !visible.has(markId));
};

// Nothing is changed where there is a mark already.
const voidUnlessTaken = (markId: string): UpdateOne => ({
  updateOne: {
    filter: { _id: markId },
    update: [{ $set: { at: { $ifNull: ["$at", "$$NOW"] } } }],
    upsert: true,
  },
});

/** Waits until the transactions of these marks have ended, however: until then their marks cannot be written. */
export const untilMarked = async (
  db: Database,
  markIds: readonly string[],
  deadline: number,
): Promise<void> => {
  if (markIds.length === 0) return;
  await untilWritten(db, deadline, (scope) =>
    // A duplicate: the transaction, or somebody else who asks, was faster.
    duplicateAsConflict(() => db.waits.bulkUpdate(scope, markIds.map(voidUnlessTaken))),
  );
};
