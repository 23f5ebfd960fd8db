// Deletes whole trees, or nothing.
import type { DeleteSequencesResult } from "../../adapters/state-adapter-params.ts";
import type { BlockerEdge } from "../../adapters/state-adapter-queries.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { deleteTrees, edgesFromOutside } from "../delete-trees.ts";
import type { JobTree } from "../job-tree.ts";
import type { Store } from "../store.ts";
import { toReference } from "../views.ts";

export const deleteSequences =
  (database: Database): InProcessMethod<"deleteSequences"> =>
  async ({ context, rootSequenceIds }) =>
    rootSequenceIds.length === 0
      ? { kind: "deleted", jobCount: 0, running: [] }
      : database.writeInTransaction(context, "deleteSequences", (store) =>
          deleteRoots(store, [...new Set(rootSequenceIds)]),
        );

const deleteRoots = (store: Store, ids: readonly string[]): DeleteSequencesResult => {
  const present = ids
    .map((id) => store.byId.get(id))
    .filter((stored) => stored?.state !== undefined)
    .filter((stored) => stored !== undefined);
  const sequenceIds = present
    .filter(({ id, rootSequenceId }) => id !== rootSequenceId)
    .map(({ id }) => id);
  if (sequenceIds.length > 0) return { kind: "notRoots", sequenceIds };

  const trees: ReadonlySet<JobTree> = new Set(present.map(({ tree }) => tree));
  const edges: readonly BlockerEdge[] = edgesFromOutside(trees);
  if (edges.length > 0) return { kind: "blocking", edges };
  const deleted = deleteTrees(store, trees);
  return {
    kind: "deleted",
    jobCount: deleted.length,
    running: deleted
      .filter(({ state }) => state.status === "running")
      .map(({ stored }) => toReference(stored)),
  };
};
