// Every index, with what it serves. Most are partial: a job that is started, taken and completed moves through the
// small ones, and the large ones get one entry at its creation or its end and are never written again.
import type { CollectionNames } from "./database.ts";

export interface IndexDefinition {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly partialFilterExpression?: object;
  readonly expireAfterSeconds?: number;
}

const jobIndexes: readonly IndexDefinition[] = [
  {
    // acquireJobs: due jobs of a type in their order; its next due one; counts and the oldest for summarize.
    name: "claim",
    key: { typeName: 1, priority: -1, scheduledAt: 1, ordinal: 1 },
    partialFilterExpression: { status: "pending" },
  },
  {
    // acquireJobs, reclaimExpiredLeases: running jobs whose lease has expired; counts for summarize.
    name: "lease",
    key: { leasedUntil: 1 },
    partialFilterExpression: { status: "running" },
  },
  {
    // getSequences and whoever else asks for a sequence's current job. First jobs are found by id.
    name: "sequence",
    key: { sequenceId: 1, position: -1 },
    partialFilterExpression: { position: { $gt: 0 } },
  },
  {
    // deleteSequences, listJobs and listSequences of one tree. The root's first job is found by id.
    name: "tree",
    key: { rootSequenceId: 1, ordinal: 1 },
    partialFilterExpression: { treeMember: true },
  },
  {
    // completeJobs, failJobs: who waits for a sequence that ended; listBlockerEdges, deleteSequences.
    name: "blockers",
    key: { blockers: 1 },
    partialFilterExpression: { blockers: { $exists: true } },
  },
  {
    // listJobs of blocked jobs; counts for summarize.
    name: "blocked",
    key: { typeName: 1, ordinal: 1 },
    partialFilterExpression: { status: "blocked" },
  },
  {
    // deleteFinishedSequences, oldest first; failed jobs for summarize.
    name: "finished",
    key: { status: 1, finishedAt: 1, _id: 1 },
    partialFilterExpression: { finishedAt: { $exists: true } },
  },
  {
    // listJobs and listSequences by page; those of some types are told apart by the index alone. Not by type first: each
    // insert would pay for one index more, and an acquisition might be planned on it.
    name: "page",
    key: { ordinal: 1, typeName: 1 },
  },
];

const waitIndexes: readonly IndexDefinition[] = [
  {
    // completeJobs, failJobs, deleteSequences: who has announced to wait for a sequence. With what they are about to do: who waits
    // for a sequence asks for those who end it, and would else read all who have begun to wait before.
    name: "sequence",
    key: { sequenceId: 1, intent: 1 },
  },
  {
    // Removes announcements when no transaction can be as old as they are.
    name: "expiry",
    key: { at: 1 },
    expireAfterSeconds: 24 * 60 * 60,
  },
];

export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly IndexDefinition[];
}

/** The collections to create, and their indexes besides the one by `_id`. */
export const toCollectionIndexes = (names: CollectionNames): readonly CollectionIndexes[] => [
  { collection: names.jobs, indexes: jobIndexes },
  { collection: names.keys, indexes: [] },
  { collection: names.counters, indexes: [] },
  { collection: names.waits, indexes: waitIndexes },
];
