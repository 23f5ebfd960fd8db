// Trees leave together, and only if nobody outside still needs the output of a sequence in them: whoever has not
// completed yet will read it, or may after a retry. Completed dependants forget the sequences that went.
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import { edgesOf } from "./blocker-edges.ts";
import type { JobCell, JobState } from "./job-cell.ts";
import type { JobTree } from "./job-tree.ts";
import type { Store } from "./store.ts";

export const edgesFromOutside = (trees: ReadonlySet<JobTree>): readonly BlockerEdge[] => {
  const edges: BlockerEdge[] = [];
  for (const [dependant, blocker] of dependantsOutside(trees)) {
    if (dependant.state?.status === "completed") continue;
    const blockerSequenceId = blocker.id;
    for (const edge of edgesOf(dependant, "transaction")) {
      if (edge.blockerSequenceId === blockerSequenceId) edges.push(edge);
    }
  }
  return edges;
};

export const hasEdgeFromOutside = (tree: JobTree): boolean => {
  for (const [dependant] of dependantsOutside(new Set([tree]))) {
    if (dependant.state?.status !== "completed") return true;
  }
  return false;
};

/** The jobs that went, each with its last state. */
export const deleteTrees = (
  store: Store,
  trees: ReadonlySet<JobTree>,
): readonly { readonly cell: JobCell; readonly state: JobState }[] => {
  for (const [dependant] of [...dependantsOutside(trees)]) forgetBlockers(store, dependant, trees);
  const deleted: { readonly cell: JobCell; readonly state: JobState }[] = [];
  for (const tree of trees) {
    for (const cell of tree.walk("asc", null)) {
      if (cell.state === undefined) continue;
      deleted.push({ cell, state: cell.state });
      store.put(cell, undefined);
    }
  }
  return deleted;
};

function* dependantsOutside(
  trees: ReadonlySet<JobTree>,
): Generator<readonly [dependant: JobCell, blocker: JobCell], void> {
  for (const tree of trees) {
    for (const blocker of tree.walk("asc", null)) {
      if (blocker.dependants === null || blocker.state === undefined) continue;
      for (const dependant of blocker.dependants) {
        if (dependant.state !== undefined && !trees.has(dependant.tree)) yield [dependant, blocker];
      }
    }
  }
}

const forgetBlockers = (store: Store, dependant: JobCell, trees: ReadonlySet<JobTree>): void => {
  const { state } = dependant;
  if (state === undefined) return;
  const blockers = state.blockers.filter(({ sequence }) => !trees.has(sequence.tree));
  if (blockers.length < state.blockers.length) store.put(dependant, { ...state, blockers });
};
