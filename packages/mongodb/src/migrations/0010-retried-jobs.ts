// Frozen once released: a test knows the checksum of this text.
export const retriedJobs = {
  version: 9,
  name: "retried-jobs",
  collections: {
    jobs: [
      {
        // examineJobs: pending jobs with an attempt behind them, by the index alone. A job that succeeds at once is never in it.
        name: "retried",
        key: { ordinal: 1, status: 1, attempt: 1 },
        partialFilterExpression: { status: "pending", attempt: { $gt: 0 } },
      },
    ],
  },
} as const;
