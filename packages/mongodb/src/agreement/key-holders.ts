// Which sequence holds a deduplication key, among those that were proposed for it earlier.
import type { Database, Proposal } from "../database.ts";
import type { SequenceDocuments } from "../sequences.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { awaitOutcomes, findVisibleMarkers } from "./waiter-handshake.ts";
import { createPatience } from "./retry-until-written.ts";

export interface KeyRequest {
  readonly keyId: string;
  /** The sequence that is to hold the key. */
  readonly sequenceId: string;
  /** A failed sequence that is retried, and proposed again. */
  readonly isRetry: boolean;
  /** The key is the id of the sequence: whichever start stores it first holds it. */
  readonly isGivenId?: boolean | undefined;
  /** Whether another sequence holds the key, by the strategy of this request. */
  readonly isHeldBy: (sequence: SequenceDocuments) => boolean;
}

export const isUnfinished = ({ current }: SequenceDocuments): boolean =>
  current.status !== "completed" && current.status !== "failed" && !wasCancelled({ current });

/** Such a sequence never holds a key again. */
export const wasCancelled = ({ current }: Pick<SequenceDocuments, "current">): boolean =>
  current.status === "cancelled";

/** The newest of the sequences that hold the requested key. */
export const findHolder = (
  { isHeldBy, sequenceId, isGivenId = false }: KeyRequest,
  proposals: readonly Proposal[],
  sequences: ReadonlyMap<string, SequenceDocuments>,
): SequenceDocuments | undefined => {
  const ids = new Set(proposals.map((proposal) => proposal.sequenceId));
  const present = [...ids].flatMap((id) => sequences.get(id) ?? []);
  present.sort((a, b) => a.first.ordinal - b.first.ordinal);
  return present.findLast((each) => (isGivenId || each.first._id !== sequenceId) && isHeldBy(each));
};

type Proposals = ReadonlyMap<string, readonly Proposal[]>;

/**
 * Waits for the transactions of earlier proposals, and reads again after each. A round waits for the next
 * proposal of every key that is still open. A batch therefore takes as many rounds as its most wanted
 * key has proposals, not as many as it has keys.
 */
export const awaitHolders = async (
  db: Database,
  scope: Scope,
  requests: readonly KeyRequest[],
  earlier: Proposals,
): Promise<ReadonlyMap<string, SequenceDocuments>> => {
  const holders = new Map<string, SequenceDocuments>();
  const proposals = [...earlier.values()].flat();
  const outcomes = createOutcomes(db, scope);
  let sequences = await readProposed(db, scope, proposals);
  for (;;) {
    const next: Proposal[] = [];
    for (const request of requests) {
      const others = earlier.get(request.keyId) ?? [];
      const holder = holders.get(request.keyId) ?? findHolder(request, others, sequences);
      if (holder !== undefined) holders.set(request.keyId, holder);
      else next.push(...others.filter((each) => isOpen(each, sequences, outcomes)).slice(0, 1));
    }
    if (next.length === 0) break;
    if (await outcomes.await(next)) sequences = await readProposed(db, scope, proposals);
  }
  // All proposals for an id name one sequence: none is useless.
  const vacant = requests.filter(({ keyId, isGivenId }) => !holders.has(keyId) && !isGivenId);
  await prune(db, vacant, earlier, sequences);
  return holders;
};

// A sequence that is there was committed. A retried one was there before its retry.
const isOpen = (
  proposal: Proposal,
  sequences: ReadonlyMap<string, SequenceDocuments>,
  outcomes: Outcomes,
): boolean =>
  !outcomes.isKnown(proposal) && (!sequences.has(proposal.sequenceId) || proposal.isRetry === true);

interface Outcomes {
  isKnown(proposal: Proposal): boolean;
  /** Waits until the transactions have ended. Returns whether one was invisible at the start. */
  await(proposals: readonly Proposal[]): Promise<boolean>;
}

const createOutcomes = (db: Database, scope: Scope): Outcomes => {
  const known = new Set<string>();
  const patience = createPatience();
  return {
    isKnown: ({ markerId }) => known.has(markerId),
    await: async (proposals) => {
      const markerIds = [...new Set(proposals.map(({ markerId }) => markerId))].sort();
      const visible = await findVisibleMarkers(db, scope, markerIds);
      const invisible = markerIds.filter((markerId) => !visible.has(markerId));
      await awaitOutcomes(db, invisible, patience);
      for (const markerId of markerIds) known.add(markerId);
      return invisible.length > 0;
    },
  };
};

/** The proposed sequences as they are outside the snapshot, except those this transaction has written. */
export const readProposed = async (
  db: Database,
  scope: Scope,
  proposals: readonly Proposal[],
): Promise<Map<string, SequenceDocuments>> => {
  const ids = proposals.map(({ sequenceId }) => sequenceId);
  // The snapshot first. A commit between the two reads is then in the second read only. In the other
  // order it could be in the snapshot only, where its marker would count as seen by both.
  const inside = await db.sequences.find(scope, ids);
  const sequences = await db.sequences.find(outside, ids, { candidates: true });
  const isOwn = ({ first, current }: SequenceDocuments): boolean =>
    db.jobs.isOwnWrite(scope, first._id) || db.jobs.isOwnWrite(scope, current._id);
  for (const id of ids) {
    const own = inside.get(id);
    // A sequence that is only in the snapshot has been deleted since: it is not added.
    if (own !== undefined && isOwn(own)) sequences.set(id, own);
    // Deleted by this transaction.
    else if (own === undefined && db.jobs.isOwnWrite(scope, id)) sequences.delete(id);
  }
  return sequences;
};

// Pruning costs a command and is not urgent: only from this many useless proposals.
const pruneFrom = 4;

/** Removes proposals that can never hold a key again: deleted and cancelled sequences, and finished ones but the newest. */
const prune = async (
  { keys }: Database,
  requests: readonly KeyRequest[],
  earlier: Proposals,
  sequences: ReadonlyMap<string, SequenceDocuments>,
): Promise<void> => {
  const updates = requests.flatMap(({ keyId }): readonly UpdateOne[] => {
    const proposals = earlier.get(keyId) ?? [];
    const present = proposals.flatMap(({ sequenceId }) => sequences.get(sequenceId) ?? []);
    present.sort((a, b) => b.first.ordinal - a.first.ordinal);
    const newest = present.find((sequence) => !wasCancelled(sequence));
    const kept = new Set(
      present
        .filter((sequence) => sequence === newest || isUnfinished(sequence))
        .map(({ first }) => first._id),
    );
    const useless = proposals.filter(({ sequenceId }) => !kept.has(sequenceId));
    if (useless.length < pruneFrom) return [];
    const markerIds = useless.map(({ markerId }) => markerId);
    const update = { $pull: { proposals: { markerId: { $in: markerIds } } } };
    return [{ updateOne: { filter: { _id: keyId }, update } }];
  });
  if (updates.length > 0) await keys.bulkUpdate(outside, updates);
};
