// Conditions that several lists share, each in the form that its index serves.
interface Page {
  readonly order: "asc" | "desc";
  readonly afterOrdinal: number | null;
}

export const pageAfter = ({ order, afterOrdinal }: Page): object => {
  if (afterOrdinal === null) return {};
  return { ordinal: order === "asc" ? { $gt: afterOrdinal } : { $lt: afterOrdinal } };
};

interface Created {
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

export const createdWithin = ({ createdFrom, createdTo }: Created): object => {
  if (createdFrom === null && createdTo === null) return {};
  return {
    createdAt: {
      ...(createdFrom !== null && { $gte: createdFrom }),
      ...(createdTo !== null && { $lt: createdTo }),
    },
  };
};

/** All jobs of sequences: the first by its id, which is the sequence's, the others by the index. */
export const sequenceMembers = (ids: readonly string[]): object => ({
  $or: [
    { _id: { $in: ids }, position: 0 },
    { sequenceId: { $in: ids }, position: { $gt: 0 } },
  ],
});

/** All jobs of trees: the root's first by its id, the others by the index. */
export const treeMembers = (rootIds: readonly string[]): object => ({
  $or: [
    { _id: { $in: rootIds }, rootSequenceId: { $exists: false } },
    { rootSequenceId: { $in: rootIds }, treeMember: true },
  ],
});

/** Jobs of sequences of these types. Only later jobs of a sequence store its type. */
export const sequenceTypeIn = (typeNames: readonly string[]): object => ({
  $or: [
    { position: 0, typeName: { $in: typeNames } },
    { position: { $gt: 0 }, sequenceTypeName: { $in: typeNames } },
  ],
});
