// Frozen once released: a test knows the checksum of this text. Later changes are migrations of their own.
//
// Most indexes are partial. A job that is started, acquired and completed moves through the small ones. The
// large ones get one entry, at its creation or its end, which is never written again.
export const createStore = {
  version: 1,
  name: "create-store",
  /** Each collection with the indexes to create, besides the one by `_id`. */
  collections: {
    jobs: [
      {
        // acquireJobs: due jobs of a type in their order, and its next due time. summarize: counts and ages.
        name: "due",
        key: { typeName: 1, priority: -1, scheduledAt: 1, ordinal: 1, releasedAt: 1 },
        partialFilterExpression: { status: "pending" },
      },
      {
        // acquireJobs, reclaimExpiredLeases: running jobs whose lease has expired. summarize: counts.
        name: "lease",
        key: { leasedUntil: 1 },
        partialFilterExpression: { status: "running" },
      },
      {
        // getSequences and others: a sequence's current job. First jobs are found by id.
        name: "sequence",
        key: { sequenceId: 1, position: -1 },
        partialFilterExpression: { position: { $gt: 0 } },
      },
      {
        // deleteSequences, listJobs, listSequences: one tree. The root's first job is found by id.
        name: "tree",
        key: { rootSequenceId: 1, ordinal: 1 },
        partialFilterExpression: { treeMember: true },
      },
      {
        // completeJobs, failJobs, listBlockerEdges, deleteSequences: the jobs that wait for a sequence.
        name: "blockers",
        key: { blockers: 1 },
        partialFilterExpression: { blockers: { $exists: true } },
      },
      {
        // listJobs: blocked jobs. summarize: counts.
        name: "blocked",
        key: { typeName: 1, ordinal: 1 },
        partialFilterExpression: { status: "blocked" },
      },
      {
        // deleteFinishedSequences: oldest first. summarize: failed jobs.
        name: "finished",
        key: { status: 1, finishedAt: 1, _id: 1 },
        partialFilterExpression: { finishedAt: { $exists: true } },
      },
      {
        // reclaimExpiredLeases: failed jobs whose dependants have not failed yet. Empty but for moments.
        name: "cascade",
        key: { finishedAt: 1 },
        partialFilterExpression: { cascade: true },
      },
      {
        // listJobs, listSequences: pages. A filter by type reads the index alone. The type is not the first
        // field: each insert would pay for one index more, and an acquisition might be planned on it.
        name: "page",
        key: { ordinal: 1, typeName: 1 },
      },
    ],
    deduplication_keys: [],
    counters: [],
    waits: [
      {
        // The handshake: the intents for a sequence. With the intent, so that a waiter does not read those of
        // all earlier waiters.
        name: "sequence",
        key: { sequenceId: 1, intent: 1 },
      },
      {
        // Removes markers and intents after a day, when no transaction can be as old.
        name: "expiry",
        key: { at: 1 },
        expireAfterSeconds: 86_400,
      },
    ],
  },
} as const;
