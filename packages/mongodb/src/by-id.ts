// Many documents in one update: a statement each costs the server four times as much as one for all of them. What
// differs from document to document is looked up by id, in an array that the server makes a hash table of.

/** The value for this document's id, as an expression; a null removes the field. */
export const valueById = (ids: readonly string[], values: readonly unknown[]): object => ({
  $ifNull: [
    {
      $arrayElemAt: [{ $literal: values }, { $indexOfArray: [{ $literal: ids }, "$_id"] }],
    },
    "$$REMOVE",
  ],
});

interface Held {
  readonly jobId: string;
  readonly leaseVersion: number;
}

/** Running jobs, each under the lease that its element names. */
export const heldUnder = (elements: readonly Held[]): object => {
  const byVersion = new Map<number, string[]>();
  for (const { jobId, leaseVersion } of elements) {
    const ids = byVersion.get(leaseVersion);
    if (ids === undefined) byVersion.set(leaseVersion, [jobId]);
    else ids.push(jobId);
  }
  const groups = [...byVersion].map(([leaseVersion, ids]) => ({
    _id: { $in: ids.sort() },
    leaseVersion,
  }));
  const [only, ...others] = groups;
  // Few versions are about at a time: most jobs are taken once.
  return others.length === 0 ? { ...only, status: "running" } : { $or: groups, status: "running" };
};
