// The effects of the end of a sequence on its dependants: they are released, or fail with it.
import { blockerFailedError } from "../adapter-kit/stored-texts.ts";
import type { UnblockedJob } from "../adapters/state-adapter-params.ts";
import type { StateJobReference } from "../model/state-job.ts";
import { currentOf, isSequenceComplete, type StoredJob, type JobState } from "./stored-job.ts";
import type { Store } from "./store.ts";
import { toReference } from "./views.ts";

/** Step 7b of the walk. Call it for every completed job: only the end of a sequence releases dependants. */
export const releaseDependants = (store: Store, completed: StoredJob): readonly UnblockedJob[] => {
  const { first } = completed;
  if (first.dependants === null || currentOf(first, "transaction") !== completed) return [];
  if (!isSequenceComplete(first)) return [];
  const unblocked: UnblockedJob[] = [];
  for (const stored of first.dependants) {
    const { state } = stored;
    if (state?.status !== "blocked") continue;
    const incompleteBlockerCount = state.incompleteBlockerCount - 1;
    if (incompleteBlockerCount > 0) store.put(stored, { ...state, incompleteBlockerCount });
    else {
      const releasedAt = store.now;
      store.put(stored, { ...state, status: "pending", releasedAt, incompleteBlockerCount });
      unblocked.push({ ...toReference(stored), unblockedBySequenceId: first.id });
    }
  }
  return unblocked;
};

/** The number of different sequences of a list that are not complete. */
export const countIncomplete = (sequences: Iterable<StoredJob>): number => {
  let count = 0;
  for (const sequence of new Set(sequences)) if (!isSequenceComplete(sequence)) count++;
  return count;
};

export const failedState = (state: JobState, error: string, now: number): JobState => ({
  ...state,
  status: "failed",
  lastAttemptError: error,
  leasedBy: null,
  leasedUntil: null,
  finishedAt: now,
});

/**
 * A sequence has failed: its blocked dependants with `onBlockerFailure: "fail"` fail too, then theirs. Returns them,
 * nearest first. A queue, not a recursion: chains may be long.
 */
export const failDependants = (
  store: Store,
  failedSequence: StoredJob,
): readonly (StateJobReference & { readonly error: string })[] => {
  const failed: (StateJobReference & { readonly error: string })[] = [];
  const sequences = [failedSequence];
  for (const sequence of sequences) {
    const error = blockerFailedError(sequence.id);
    for (const stored of sequence.dependants ?? []) {
      const { state } = stored;
      if (state?.status !== "blocked" || stored.onBlockerFailure !== "fail") continue;
      store.put(stored, failedState(state, error, store.now));
      failed.push({ ...toReference(stored), error });
      sequences.push(stored.first);
    }
  }
  return failed;
};
