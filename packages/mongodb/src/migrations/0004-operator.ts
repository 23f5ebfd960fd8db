// Frozen once released: a test knows the checksum of this text.
export const operator = {
  version: 3,
  name: "operator",
  collections: {
    /** The registry of workers. Workers report to it every 10 to 30 s; nothing of the walk of a job reads it. */
    workers: [],
    /** The actions of operators. */
    actions: [],
  },
} as const;
