// Step 2 of the walk, continued: a new job gets its blockers.
import { blockerCancelledError, blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import type { AddBlockersParams } from "../../adapters/state-adapter-params.ts";
import { JobNotFoundError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { countIncomplete, failDependants, failedState } from "../dependants.ts";
import { hasFailed, wasCancelled, type StoredJob, type JobState } from "../stored-job.ts";
import { after } from "../instants.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../views.ts";

export const addBlockers =
  (database: Database): InProcessMethod<"addBlockers"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.writeInTransaction(context, "addBlockers", (store) =>
          jobs.map((job) => addTo(store, job)),
        );

const addTo = (
  store: Store,
  { jobId, blockerSequenceIds: ids, waitAtMostMs }: AddBlockersParams<unknown>["jobs"][number],
): { readonly job: StateJob; readonly missing: readonly string[] } => {
  const stored = store.byId.get(jobId);
  const state = stored?.state;
  if (stored === undefined || state === undefined) throw new JobNotFoundError(jobId);
  const sequences = ids.map((id) => store.sequence(id));
  const missing = [...new Set(ids.filter((_, index) => sequences[index] === undefined))];
  if (missing.length === 0 && state.status === "blocked") {
    const blockedUntil = waitAtMostMs === undefined ? null : after(stored.createdAt, waitAtMostMs);
    wait(
      store,
      stored,
      { ...state, blockedUntil },
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
  const incompleteBlockerCount = countIncomplete(stored, blockers);
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
  if (onBlockerFailure === "continue") return undefined;
  const cancelled = sequences.find(wasCancelled);
  if (cancelled !== undefined) return blockerCancelledError(cancelled.id);
  const failed = onBlockerFailure === "fail" ? sequences.find(hasFailed) : undefined;
  return failed === undefined ? undefined : blockerFailedError(failed.id);
};
