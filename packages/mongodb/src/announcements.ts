// How those who begin to wait for a sequence and whoever ends it cannot miss each other, and the many who wait for one
// sequence do not get into each other's way. Under snapshot isolation the plain way, all writing one document, would
// let one of the many live. Instead, both sides tell outside of their transactions what they are about to do, and
// look then what others have told: whichever looks last sees the other.
// - Who makes a job wait tells so, and looks for those who end the sequence. It waits for their transactions to end,
//   and reads outside what the sequence is then.
// - Who ends, fails or deletes a sequence tells so, and looks for those who wait. It sees their jobs; or puts an end to
//   those that are rolled back; or runs into a conflict, for its own snapshot is too old to see them, and starts again.
// What became of a transaction is read from the mark that it has left (`marks.ts`).
//
// Ending a sequence that nobody waits for must cost nothing of this. So the first who waits marks the sequence's current
// job (`hasWaiters`), outside as well, and who finds a job marked takes the long way. Who has a job before it is marked
// is waited for; who wants it later with a snapshot from before runs into a conflict. The price is paid by a transaction
// that makes a job wait for a sequence nobody has waited for, and goes on to write that sequence: its first try ends with
// a conflict, its second finds the job marked.
import type { Database } from "./database.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import {
  announceMark,
  findInvisibleMarks,
  insertMarks,
  untilMarked,
  waitDeadline,
} from "./marks.ts";
import { findSequences, type SequenceDocuments } from "./sequences.ts";
import { outside, type Scope } from "./store.ts";
import { createToken } from "./token.ts";
import { untilWritten } from "./until-written.ts";

type Sequences = ReadonlyMap<string, SequenceDocuments>;

/**
 * Tells that jobs of this transaction are about to wait for sequences. Answers the sequences as they are now, also
 * where the transaction's snapshot is older.
 */
export const announceWaiting = async (
  db: Database,
  scope: Scope,
  visible: Sequences,
): Promise<Sequences> => {
  const ids = [...visible.keys()].sort();
  const before = await findSequences(db, outside, ids, { candidates: true });
  // Those that only this transaction sees, or has written, are its own. Or deleted, and then the write conflicts.
  const isOwn = (id: string): boolean => {
    const currentIds = [before.get(id)?.current._id, visible.get(id)?.current._id];
    return currentIds.some((each) => each === undefined || db.jobs.isTouched(scope, each));
  };
  await markInside(db, scope, visible, ids.filter(isOwn));
  const shared = ids.filter((id) => !isOwn(id));
  if (shared.length === 0) return visible;
  const deadline = waitDeadline();
  await announce(db, scope, shared, "waiting");
  await markOutside(db, shared, before, deadline);
  await untilMarked(db, await findInvisibleMarks(db, scope, shared, "ending"), deadline);
  const after = await findSequences(db, outside, shared, { candidates: true });
  return new Map(
    [...visible].flatMap(([id, seen]) => {
      if (isOwn(id)) return [[id, seen] as const];
      const sequence = after.get(id);
      return sequence === undefined ? [] : [[id, sequence] as const];
    }),
  );
};

/**
 * Tells that this transaction ends sequences whose current jobs it has written, and makes sure that it sees all who wait
 * for them. Rejects when it has to start again.
 */
export const announceEnding = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
): Promise<void> => {
  if (sequenceIds.length === 0) return;
  await announce(db, scope, sequenceIds, "ending");
  await insertMarks(db, scope, await findInvisibleMarks(db, scope, sequenceIds, "waiting"));
};

/** The mark first: who has been told of it must find it taken. */
const announce = async (
  db: Database,
  scope: Scope,
  sequenceIds: readonly string[],
  intent: "waiting" | "ending",
): Promise<void> => {
  const markId = createToken();
  await insertMarks(db, scope, [markId]);
  await announceMark(db, markId, sequenceIds, intent);
};

const markInside = async (
  { jobs }: Database,
  scope: Scope,
  visible: Sequences,
  sequenceIds: readonly string[],
): Promise<void> => {
  if (sequenceIds.length === 0) return;
  const currentIds = sequenceIds.flatMap((id) => visible.get(id)?.current._id ?? []);
  const marked = { $set: { hasWaiters: true, lockToken: createToken() } };
  await jobs.updateMany(scope, { _id: { $in: currentIds.sort() } }, marked);
};

const isUnmarked = (sequence: SequenceDocuments | undefined): sequence is SequenceDocuments =>
  sequence !== undefined && sequence.current.hasWaiters !== true;

/** Waits for those who have written the jobs; should they have continued a sequence, its new job is marked. */
const markOutside = async (
  db: Database,
  sequenceIds: readonly string[],
  before: Sequences,
  deadline: number,
): Promise<void> => {
  let unmarked = sequenceIds.map((id) => before.get(id)).filter(isUnmarked);
  while (unmarked.length > 0) {
    const currentIds = unmarked.map(({ current }) => current._id).sort();
    const filter = { _id: { $in: currentIds }, hasWaiters: { $exists: false } };
    await untilWritten(db, deadline, (scope) =>
      db.jobs.updateMany(scope, filter, { $set: { hasWaiters: true } }),
    );
    if (performance.now() > deadline) throw new MongoTransactionAbortedError("write_conflict");
    const ids = unmarked.map(({ first }) => first._id);
    const now = await findSequences(db, outside, ids, { candidates: true });
    unmarked = ids.map((id) => now.get(id)).filter(isUnmarked);
  }
};
