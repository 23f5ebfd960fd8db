// Frozen once released: a test knows the checksum of this text.
export const deadlines = {
  version: 6,
  name: "deadlines",
  collections: {
    jobs: [
      {
        // acquireJobs: the blocked jobs whose wait ends next. No other job is in it.
        name: "deadline",
        key: { blockedUntil: 1, typeName: 1 },
        partialFilterExpression: { status: "blocked", blockedUntil: { $exists: true } },
      },
    ],
  },
} as const;
