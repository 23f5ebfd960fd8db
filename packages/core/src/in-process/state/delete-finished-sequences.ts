// Retention: deletes trees that have been finished for long enough, the longest finished first.
import type { DeleteFinishedParams } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { deleteTrees, hasEdgeFromOutside } from "../delete-trees.ts";
import type { JobState } from "../stored-job.ts";
import type { JobTree } from "../job-tree.ts";
import type { Store } from "../store.ts";

export const deleteFinishedSequences =
  (database: Database): InProcessMethod<"deleteFinishedSequences"> =>
  async (params) =>
    params.limit <= 0
      ? 0
      : database.write(undefined, "deleteFinishedSequences", (store) =>
          deleteFinished(store, params),
        );

const deleteFinished = (store: Store, params: DeleteFinishedParams): number => {
  const { completedForMs, failedForMs, cancelledForMs } = params;
  const shortestAgeMs = Math.min(
    ...[completedForMs, failedForMs, cancelledForMs].map((ageMs) => ageMs ?? Infinity),
  );
  let treeCount = 0;
  let jobCount = 0;
  for (const tree of store.finishedTrees.walk()) {
    // All later trees of the list finished later.
    if (treeCount >= params.limit || tree.lastFinishedAt > store.now - shortestAgeMs) break;
    if (!isOldEnough(tree, params, store.now) || hasEdgeFromOutside(tree)) continue;
    jobCount += deleteTrees(store, new Set([tree])).length;
    treeCount++;
  }
  return jobCount;
};

const isOldEnough = (tree: JobTree, params: DeleteFinishedParams, now: number): boolean => {
  for (const { state } of tree.walk("asc", null)) {
    if (state !== undefined && !isFinishedFor(state, params, now)) return false;
  }
  return true;
};

const isFinishedFor = (state: JobState, params: DeleteFinishedParams, now: number): boolean => {
  const ageMs = ageOf(state.status, params);
  return ageMs !== null && state.finishedAt !== null && state.finishedAt <= now - ageMs;
};

const ageOf = (status: JobState["status"], params: DeleteFinishedParams): number | null => {
  if (status === "completed") return params.completedForMs;
  return status === "cancelled" ? params.cancelledForMs : params.failedForMs;
};
