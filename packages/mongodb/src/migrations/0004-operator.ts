// Frozen once released: a test knows the checksum of this text.
export const operator = {
  version: 3,
  name: "operator",
  collections: {
    jobs: [
      {
        // examineJobs: pending jobs with an attempt behind them, by the index alone. A job that succeeds at once is never in it.
        name: "retried",
        key: { ordinal: 1, status: 1, attempt: 1 },
        partialFilterExpression: { status: "pending", attempt: { $gt: 0 } },
      },
    ],
    /** The registry of workers. Workers report to it every 10 to 30 s; nothing of the walk of a job reads it. */
    workers: [],
    /** The actions of operators. */
    actions: [],
  },
} as const;
