// A tree is deleted as a whole, and only if no unfinished or failed job outside depends on a sequence in it. Such a job reads
// the output of the sequence when it runs. Completed and cancelled dependants lose their edges.
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import { edgesOf } from "./views.ts";
import type { StoredJob, JobState } from "./stored-job.ts";
import type { JobTree } from "./job-tree.ts";
import type { Store } from "./store.ts";

export const edgesFromOutside = (trees: ReadonlySet<JobTree>): readonly BlockerEdge[] => {
  const edges: BlockerEdge[] = [];
  for (const [dependant, blocker] of dependantsOutside(trees)) {
    if (isOver(dependant)) continue;
    const blockerSequenceId = blocker.id;
    for (const edge of edgesOf(dependant, "transaction")) {
      if (edge.blockerSequenceId === blockerSequenceId) edges.push(edge);
    }
  }
  return edges;
};

export const hasEdgeFromOutside = (tree: JobTree): boolean => {
  for (const [dependant] of dependantsOutside(new Set([tree]))) {
    if (!isOver(dependant)) return true;
  }
  return false;
};

/** It never reads the output of a blocker again. */
const isOver = ({ state }: StoredJob): boolean =>
  state?.status === "completed" || state?.status === "cancelled";

/** Returns the deleted jobs, each with its last state. */
export const deleteTrees = (
  store: Store,
  trees: ReadonlySet<JobTree>,
): readonly { readonly stored: StoredJob; readonly state: JobState }[] => {
  for (const [dependant] of [...dependantsOutside(trees)]) forgetBlockers(store, dependant, trees);
  const deleted: { readonly stored: StoredJob; readonly state: JobState }[] = [];
  for (const tree of trees) {
    for (const stored of tree.walk("asc", null)) {
      if (stored.state === undefined) continue;
      deleted.push({ stored, state: stored.state });
      store.put(stored, undefined);
    }
  }
  return deleted;
};

function* dependantsOutside(
  trees: ReadonlySet<JobTree>,
): Generator<readonly [dependant: StoredJob, blocker: StoredJob], void> {
  for (const tree of trees) {
    for (const blocker of tree.walk("asc", null)) {
      if (blocker.dependants === null || blocker.state === undefined) continue;
      for (const dependant of blocker.dependants) {
        if (dependant.state !== undefined && !trees.has(dependant.tree)) yield [dependant, blocker];
      }
    }
  }
}

const forgetBlockers = (store: Store, dependant: StoredJob, trees: ReadonlySet<JobTree>): void => {
  const { state } = dependant;
  if (state === undefined) return;
  const blockers = state.blockers.filter(({ sequence }) => !trees.has(sequence.tree));
  if (blockers.length < state.blockers.length) store.put(dependant, { ...state, blockers });
};
