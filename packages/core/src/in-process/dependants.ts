// The effects of the end of a sequence on its dependants: they are released, or fail with it.
import { blockerFailedError } from "../adapter-kit/stored-texts.ts";
import type { FailJobsResult, UnblockedJob } from "../adapters/state-adapter-params.ts";
import {
  type BlockerLink,
  currentOf,
  hasEnded,
  isSequenceComplete,
  type JobState,
  type StoredJob,
} from "./stored-job.ts";
import type { Store } from "./store.ts";
import { toReference } from "./views.ts";

/** Step 7b of the walk. Call it for every completed job: only the end of a sequence releases dependants. */
export const releaseDependants = (store: Store, completed: StoredJob): readonly UnblockedJob[] => {
  const { first } = completed;
  if (first.dependants === null || currentOf(first, "transaction") !== completed) return [];
  if (!isSequenceComplete(first)) return [];
  const unblocked: UnblockedJob[] = [];
  for (const stored of first.dependants) release(store, stored, first, unblocked);
  return unblocked;
};

/** The sequence has failed, or was cancelled: its dependants with `onBlockerFailure: "continue"` do not wait for it. */
export const releaseContinuing = (store: Store, first: StoredJob): readonly UnblockedJob[] => {
  const unblocked: UnblockedJob[] = [];
  for (const stored of first.dependants ?? []) {
    if (stored.onBlockerFailure === "continue") release(store, stored, first, unblocked);
  }
  return unblocked;
};

const release = (
  store: Store,
  stored: StoredJob,
  first: StoredJob,
  unblocked: UnblockedJob[],
): void => {
  const { state } = stored;
  if (state?.status !== "blocked") return;
  // A failure counts only until the blocker is retried.
  const incompleteBlockerCount =
    stored.onBlockerFailure === "continue"
      ? countIncomplete(stored, state.blockers)
      : state.incompleteBlockerCount - 1;
  if (incompleteBlockerCount > 0) store.put(stored, { ...state, incompleteBlockerCount });
  else {
    const releasedAt = store.now;
    store.put(stored, { ...state, status: "pending", releasedAt, incompleteBlockerCount });
    unblocked.push({ ...toReference(stored), unblockedBySequenceId: first.id });
  }
};

/** The number of different blockers that a job still waits for. */
export const countIncomplete = (
  { onBlockerFailure }: StoredJob,
  blockers: readonly BlockerLink[],
): number => {
  const isDone = onBlockerFailure === "continue" ? hasEnded : isSequenceComplete;
  let count = 0;
  for (const first of new Set(blockers.map(({ sequence }) => sequence))) {
    if (!isDone(first)) count++;
  }
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
 * nearest first, and the jobs that go on. A queue, not a recursion: chains may be long.
 */
export const failDependants = (
  store: Store,
  failedSequence: StoredJob,
): Pick<FailJobsResult, "dependants" | "unblocked"> => {
  const dependants: FailJobsResult["dependants"][number][] = [];
  const unblocked: UnblockedJob[] = [];
  const sequences = [failedSequence];
  for (const sequence of sequences) {
    const error = blockerFailedError(sequence.id);
    for (const stored of sequence.dependants ?? []) {
      const { state } = stored;
      if (state?.status !== "blocked" || stored.onBlockerFailure !== "fail") continue;
      store.put(stored, failedState(state, error, store.now));
      dependants.push({ ...toReference(stored), error });
      sequences.push(stored.first);
    }
    for (const job of releaseContinuing(store, sequence)) unblocked.push(job);
  }
  return { dependants, unblocked };
};
