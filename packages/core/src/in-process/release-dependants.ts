// Step 7b of the walk: a sequence has ended, and the jobs that waited for it alone wait no more.
import type { UnblockedJob } from "../adapters/state-adapter-params.ts";
import { currentOf, isSequenceComplete, type JobCell } from "./job-cell.ts";
import type { Store } from "./store.ts";
import { toReference } from "./to-state-job.ts";

/** After a job has been completed: releases nobody unless it was the one that its sequence ended with. */
export const releaseDependants = (store: Store, completed: JobCell): readonly UnblockedJob[] => {
  const { first } = completed;
  if (first.dependants === null || currentOf(first, "transaction") !== completed) return [];
  if (!isSequenceComplete(first)) return [];
  const unblocked: UnblockedJob[] = [];
  for (const cell of first.dependants) {
    const { state } = cell;
    if (state?.status !== "blocked") continue;
    const incompleteBlockerCount = state.incompleteBlockerCount - 1;
    const status = incompleteBlockerCount === 0 ? "pending" : "blocked";
    store.put(cell, { ...state, status, incompleteBlockerCount });
    if (status === "pending") {
      unblocked.push({ ...toReference(cell), unblockedBySequenceId: first.id });
    }
  }
  return unblocked;
};

/** How many different sequences of a list have not ended with an output yet. */
export const countIncomplete = (sequences: Iterable<JobCell>): number => {
  let count = 0;
  for (const sequence of new Set(sequences)) if (!isSequenceComplete(sequence)) count++;
  return count;
};
