// Frozen once released: a test knows the checksum of this text.
export const limits = {
  version: 5,
  name: "limits",
  collections: {
    /** A document for each limit of a job type. An acquisition of the type writes it, so that no two of them count at once. */
    limits: [],
  },
} as const;
