// Frozen once released: a test knows the checksum of this text.
export const limitKeys = {
  version: 8,
  name: "limit-keys",
  collections: {
    jobs: [
      {
        // acquireJobs: the turns of a type, oldest first. A running job is no turn, but its end is.
        name: "turn",
        key: { typeName: 1, status: 1, turnAt: 1, turnPlace: 1, limitKeyId: 1 },
        partialFilterExpression: { turnAt: { $exists: true } },
      },
      {
        // acquireJobs: the permits of a key, and its turns.
        name: "key_turn",
        key: { limitKeyId: 1, status: 1, typeName: 1, turnAt: 1 },
        partialFilterExpression: { turnAt: { $exists: true } },
      },
      {
        // acquireJobs: the due jobs of a key in their order. getLimitKeys: the pending jobs of a key.
        name: "key_due",
        key: { limitKeyId: 1, typeName: 1, keyPriority: -1, scheduledAt: 1, ordinal: 1 },
        partialFilterExpression: { status: "pending", limitKeyId: { $exists: true } },
      },
    ],
    /** A document for each key with jobs that wait or run, and turns that belong to no job. */
    limit_keys: [
      {
        // acquireJobs: the keys to look at.
        name: "look",
        key: { lookType: 1, keptBack: 1, lookAt: 1, turnPlace: 1 },
        partialFilterExpression: { lookAt: { $exists: true } },
      },
      {
        // setLimits, setLimitKeys, getLimitKeys: the keys of a limit.
        name: "limit",
        key: { limitName: 1, keyId: 1 },
      },
      {
        // Removes the documents of keys that nothing is known of.
        name: "expiry",
        key: { removeAt: 1 },
        expireAfterSeconds: 0,
      },
    ],
  },
} as const;
