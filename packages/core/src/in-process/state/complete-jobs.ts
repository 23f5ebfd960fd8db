// Steps 6 and 7 of the walk: outputs are stored, sequences continue, and whoever waited for one that ended is released.
import type {
  CompletionResult,
  JobCompletion,
  UnblockedJob,
} from "../../adapters/state-adapter-params.ts";
import type { JsonText, StateJob } from "../../model/state-job.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { insertContinuation } from "../insert-job.ts";
import { isUnfinished, type JobCell, type JobState } from "../job-cell.ts";
import { isHeld, whyLost } from "../lease-check.ts";
import { releaseDependants } from "../release-dependants.ts";
import { requireJob } from "../to-state-job.ts";

export const completeJobs =
  (database: Database): InProcessMethod<"completeJobs"> =>
  async ({ context, workerId, completions }) =>
    completions.length === 0
      ? { results: [], unblocked: [] }
      : database.write(context, "completeJobs", () => {
          const unblocked: UnblockedJob[] = [];
          const results = completions.map((completion) =>
            completeJob(database, completion, workerId, unblocked),
          );
          return { results, unblocked };
        });

const completeJob = (
  database: Database,
  completion: JobCompletion,
  workerId: string | null,
  unblocked: UnblockedJob[],
): CompletionResult => {
  const { store } = database;
  const { jobId, leaseVersion, outcome } = completion;
  const cell = store.cells.get(jobId);
  const state = cell?.state;
  if (cell === undefined || state === undefined || !mayComplete(state, leaseVersion)) {
    return lost(state, leaseVersion);
  }
  // The next job first: the sequence has an unfinished job at every moment until it ends.
  const next = outcome.kind === "continuation" ? insertContinuation(database, outcome.job) : null;
  const continuedToId = outcome.kind === "continuedTo" ? outcome.jobId : (next?.id ?? null);
  store.put(
    cell,
    completedState(state, store.now, {
      output: outcome.kind === "output" ? outcome.output : null,
      continuedToId,
      completedBy: workerId,
      completedByLease: leaseVersion,
    }),
  );
  // A loop, not a spread: arguments have a limit that a thousand dependants may reach.
  for (const job of releaseDependants(store, cell)) unblocked.push(job);
  return { kind: "completed", completedAt: new Date(store.now), continuation: jobOf(next) };
};

const mayComplete = (state: JobState, leaseVersion: number | null): boolean =>
  leaseVersion === null ? isUnfinished(state) : isHeld(state, leaseVersion);

const lost = (state: JobState | undefined, leaseVersion: number | null): CompletionResult => ({
  kind: "lost",
  reason: whyLost(state),
  storedByThisLease: leaseVersion !== null && state?.completedByLease === leaseVersion,
});

const completedState = (
  state: JobState,
  now: number,
  outcome: {
    readonly output: JsonText | null;
    readonly continuedToId: string | null;
    readonly completedBy: string | null;
    readonly completedByLease: number | null;
  },
): JobState => ({
  ...state,
  ...outcome,
  status: "completed",
  leasedBy: null,
  leasedUntil: null,
  finishedAt: now,
});

const jobOf = (cell: JobCell | null): StateJob | null => (cell === null ? null : requireJob(cell));
