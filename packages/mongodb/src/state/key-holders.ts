// Which sequence stands for a deduplication key, among those that were put forward for it before.
import type { Database, KeyEntry } from "../database.ts";
import { findVisibleMarks, untilMarked, waitDeadline } from "../marks.ts";
import { findSequences, type SequenceDocuments } from "../sequences.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";

export interface KeyClaim {
  readonly keyId: string;
  /** The sequence put forward. */
  readonly sequenceId: string;
  /** A failed sequence, put forward again. */
  readonly isRetry: boolean;
  /** Whether another sequence stands for the key, as far as this claim is concerned. */
  readonly isHeldBy: (sequence: SequenceDocuments) => boolean;
}

export const isUnfinished = ({ current }: SequenceDocuments): boolean =>
  current.status !== "completed" && current.status !== "failed";

/** The newest of the sequences that stand for the claimed key. */
export const findHolder = (
  { isHeldBy, sequenceId }: KeyClaim,
  entries: readonly KeyEntry[],
  sequences: ReadonlyMap<string, SequenceDocuments>,
): SequenceDocuments | undefined => {
  const ids = new Set(entries.map((entry) => entry.sequenceId));
  const present = [...ids].flatMap((id) => sequences.get(id) ?? []);
  present.sort((a, b) => a.first.ordinal - b.first.ordinal);
  return present.findLast((each) => each.first._id !== sequenceId && isHeldBy(each));
};

export type Entries = ReadonlyMap<string, readonly KeyEntry[]>;

/**
 * Looks again after the transactions before have ended: in each round the next of each key that is still open. So a batch
 * takes as many rounds as its most wanted key has others before it, and not as many as it has keys.
 */
export const awaitHolders = async (
  db: Database,
  scope: Scope,
  claims: readonly KeyClaim[],
  before: Entries,
): Promise<ReadonlyMap<string, SequenceDocuments>> => {
  const holders = new Map<string, SequenceDocuments>();
  const entries = [...before.values()].flat();
  const outcomes = createOutcomes(db, scope);
  let sequences = await readSequences(db, scope, entries);
  for (;;) {
    const next: KeyEntry[] = [];
    for (const claim of claims) {
      const others = before.get(claim.keyId) ?? [];
      const holder = holders.get(claim.keyId) ?? findHolder(claim, others, sequences);
      if (holder !== undefined) holders.set(claim.keyId, holder);
      else next.push(...others.filter((entry) => isOpen(entry, sequences, outcomes)).slice(0, 1));
    }
    if (next.length === 0) break;
    if (await outcomes.await(next)) sequences = await readSequences(db, scope, entries);
  }
  const vacant = claims.filter(({ keyId }) => !holders.has(keyId));
  await forget(db, vacant, before, sequences);
  return holders;
};

// A sequence that is there was committed; one that is retried was there before.
const isOpen = (
  entry: KeyEntry,
  sequences: ReadonlyMap<string, SequenceDocuments>,
  outcomes: Outcomes,
): boolean =>
  !outcomes.isKnown(entry) && (!sequences.has(entry.sequenceId) || entry.isRetry === true);

interface Outcomes {
  isKnown(entry: KeyEntry): boolean;
  /** Waits for the ends of the entries' transactions; whether any was not visible from the start. */
  await(entries: readonly KeyEntry[]): Promise<boolean>;
}

const createOutcomes = (db: Database, scope: Scope): Outcomes => {
  const known = new Set<string>();
  const deadline = waitDeadline();
  return {
    isKnown: ({ markId }) => known.has(markId),
    await: async (entries) => {
      const markIds = [...new Set(entries.map(({ markId }) => markId))].sort();
      const visible = await findVisibleMarks(db, scope, markIds);
      const invisible = markIds.filter((markId) => !visible.has(markId));
      await untilMarked(db, invisible, deadline);
      for (const markId of markIds) known.add(markId);
      return invisible.length > 0;
    },
  };
};

/** As they are outside, whatever the snapshot; but for those that this transaction has written itself. */
export const readSequences = async (
  db: Database,
  scope: Scope,
  entries: readonly KeyEntry[],
): Promise<Map<string, SequenceDocuments>> => {
  const ids = entries.map(({ sequenceId }) => sequenceId);
  // The snapshot first: what is committed between two reads is then in the later one, and not in the snapshot, in which its
  // mark would pass for something that the other read has seen.
  const inside = await findSequences(db, scope, ids);
  const sequences = await findSequences(db, outside, ids, { candidates: true });
  const isOwn = ({ first, current }: SequenceDocuments): boolean =>
    db.jobs.isTouched(scope, first._id) || db.jobs.isTouched(scope, current._id);
  for (const id of ids) {
    const own = inside.get(id);
    // Not one that is only in the snapshot: it has been deleted since.
    if (own !== undefined && isOwn(own)) sequences.set(id, own);
    // Deleted by this transaction.
    else if (own === undefined && db.jobs.isTouched(scope, id)) sequences.delete(id);
  }
  return sequences;
};

// What can never match again: sequences that are gone, and finished ones but the newest. Only now and then: there is no
// hurry, and it is one more command.
const forgetFrom = 4;

const forget = async (
  { keys }: Database,
  claims: readonly KeyClaim[],
  before: Entries,
  sequences: ReadonlyMap<string, SequenceDocuments>,
): Promise<void> => {
  const updates = claims.flatMap(({ keyId }): readonly UpdateOne[] => {
    const entries = before.get(keyId) ?? [];
    const present = entries.flatMap(({ sequenceId }) => sequences.get(sequenceId) ?? []);
    present.sort((a, b) => b.first.ordinal - a.first.ordinal);
    const [newest] = present;
    const kept = new Set(
      present
        .filter((sequence) => sequence === newest || isUnfinished(sequence))
        .map(({ first }) => first._id),
    );
    const useless = entries.filter(({ sequenceId }) => !kept.has(sequenceId));
    if (useless.length < forgetFrom) return [];
    const markIds = useless.map(({ markId }) => markId);
    const update = { $pull: { entries: { markId: { $in: markIds } } } };
    return [{ updateOne: { filter: { _id: keyId }, update } }];
  });
  if (updates.length > 0) await keys.bulkUpdate(outside, updates);
};
