// Frozen once released: a test knows the checksum of this text.
export const logs = {
  version: 7,
  name: "logs",
  collections: {
    /** Lines that attempts logged: a document for each chunk. */
    logs: [
      {
        // listLogs: the lines of a job. appendLogs, deleteSequences: their removal.
        name: "lines",
        key: { jobId: 1, leaseVersion: 1, firstLine: 1 },
      },
      {
        // appendLogs: old lines are removed, also those of jobs that are gone.
        name: "age",
        key: { storedAt: 1 },
      },
    ],
    /** A document for each job that says how far it is. */
    progress: [{ name: "age", key: { storedAt: 1 } }],
  },
} as const;
