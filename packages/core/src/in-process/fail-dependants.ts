// A sequence has failed: blocked jobs that are not to outlive it fail too, then those that wait for them.
import { blockerFailedError } from "../adapter-kit/stored-texts.ts";
import type { StateJobReference } from "../model/state-job.ts";
import type { JobCell, JobState } from "./job-cell.ts";
import type { Store } from "./store.ts";
import { toReference } from "./to-state-job.ts";

export const failedState = (state: JobState, error: string, now: number): JobState => ({
  ...state,
  status: "failed",
  lastAttemptError: error,
  leasedBy: null,
  leasedUntil: null,
  finishedAt: now,
});

/** The jobs that failed with the sequence, nearest first. A queue, not a recursion: chains may be long. */
export const failDependants = (
  store: Store,
  failedSequence: JobCell,
): readonly (StateJobReference & { readonly error: string })[] => {
  const failed: (StateJobReference & { readonly error: string })[] = [];
  const sequences = [failedSequence];
  for (const sequence of sequences) {
    const error = blockerFailedError(sequence.id);
    for (const cell of sequence.dependants ?? []) {
      const { state } = cell;
      if (state?.status !== "blocked" || cell.onBlockerFailure !== "fail") continue;
      store.put(cell, failedState(state, error, store.now));
      failed.push({ ...toReference(cell), error });
      sequences.push(cell.first);
    }
  }
  return failed;
};
