// Step 2 of the walk, continued: a new job learns which sequences it waits for.
import { blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import { JobNotFoundError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database } from "../database.ts";
import { failDependants, failedState } from "../fail-dependants.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { hasFailed, type JobCell, type JobState } from "../job-cell.ts";
import { countIncomplete } from "../release-dependants.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../to-state-job.ts";

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
  const cell = store.cells.get(jobId);
  const state = cell?.state;
  if (cell === undefined || state === undefined) throw new JobNotFoundError(jobId);
  const sequences = ids.map((id) => store.sequence(id));
  const missing = [...new Set(ids.filter((_, index) => sequences[index] === undefined))];
  if (missing.length === 0 && state.status === "blocked") {
    wait(
      store,
      cell,
      state,
      sequences.filter((sequence) => sequence !== undefined),
    );
  }
  return { job: requireJob(cell), missing };
};

const wait = (
  store: Store,
  cell: JobCell,
  state: JobState,
  sequences: readonly JobCell[],
): void => {
  const links = sequences.map((sequence, index) => ({
    index: state.blockers.length + index,
    sequence,
  }));
  const blockers = [...state.blockers, ...links];
  const incompleteBlockerCount = countIncomplete(blockers.map(({ sequence }) => sequence));
  const status = incompleteBlockerCount === 0 ? "pending" : "blocked";
  const waiting: JobState = { ...state, blockers, incompleteBlockerCount, status };
  const failed = cell.onBlockerFailure === "fail" ? sequences.find(hasFailed) : undefined;
  if (failed === undefined) return store.put(cell, waiting);
  store.put(cell, failedState(waiting, blockerFailedError(failed.id), store.now));
  // A continuation that fails at once takes along whoever waits for its sequence.
  failDependants(store, cell.first);
};
