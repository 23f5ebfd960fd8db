// Step 2 of the walk, continued: a new job gets its blockers.
import { blockerCancelledError, blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import { JobNotFoundError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { countIncomplete, failDependants, failedState } from "../dependants.ts";
import { hasFailed, wasCancelled, type StoredJob, type JobState } from "../stored-job.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../views.ts";

export const addBlockers =
  (database: Database): InProcessMethod<"addBlockers"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.writeInTransaction(context, "addBlockers", (store) =>
          jobs.map(({ jobId, blockerSequenceIds }) => addTo(store, jobId, [...blockerSequenceIds])),
        );

const addTo = (
  store: Store,
  jobId: string,
  ids: readonly string[],
): { readonly job: StateJob; readonly missing: readonly string[] } => {
  const stored = store.byId.get(jobId);
  const state = stored?.state;
  if (stored === undefined || state === undefined) throw new JobNotFoundError(jobId);
  const sequences = ids.map((id) => store.sequence(id));
  const missing = [...new Set(ids.filter((_, index) => sequences[index] === undefined))];
  if (missing.length === 0 && state.status === "blocked") {
    wait(
      store,
      stored,
      state,
      sequences.filter((sequence) => sequence !== undefined),
    );
  }
  return { job: requireJob(stored), missing };
};

const wait = (
  store: Store,
  stored: StoredJob,
  state: JobState,
  sequences: readonly StoredJob[],
): void => {
  const links = sequences.map((sequence, index) => ({
    index: state.blockers.length + index,
    sequence,
  }));
  const blockers = [...state.blockers, ...links];
  const incompleteBlockerCount = countIncomplete(blockers.map(({ sequence }) => sequence));
  const status = incompleteBlockerCount === 0 ? "pending" : "blocked";
  const waiting: JobState = { ...state, blockers, incompleteBlockerCount, status };
  const error = blockerError(stored, sequences);
  if (error === undefined) return store.put(stored, waiting);
  store.put(stored, failedState(waiting, error, store.now));
  // The job may be a continuation, whose sequence has dependants.
  failDependants(store, stored.first);
};

const blockerError = (
  { onBlockerFailure }: StoredJob,
  sequences: readonly StoredJob[],
): string | undefined => {
  const cancelled = sequences.find(wasCancelled);
  if (cancelled !== undefined) return blockerCancelledError(cancelled.id);
  const failed = onBlockerFailure === "fail" ? sequences.find(hasFailed) : undefined;
  return failed === undefined ? undefined : blockerFailedError(failed.id);
};
