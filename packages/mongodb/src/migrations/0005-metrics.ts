// Frozen once released: a test knows the checksum of this text.
export const metrics = {
  version: 4,
  name: "metrics",
  collections: {
    /** The counts of attempts by minute and by hour, read by time. */
    metrics: [{ name: "by_time", key: { stepMs: 1, at: 1 } }],
  },
} as const;
