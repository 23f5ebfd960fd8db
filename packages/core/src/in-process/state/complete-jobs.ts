// Steps 6 and 7 of the walk: outputs are stored, sequences continue, and dependants of a completed sequence are released.
import type {
  CompletionResult,
  JobCompletion,
  UnblockedJob,
} from "../../adapters/state-adapter-params.ts";
import type { JsonText, StateJob } from "../../model/state-job.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { insertContinuation } from "../insert-job.ts";
import { isHeld, isUnfinished, type JobState, type StoredJob, whyLost } from "../stored-job.ts";
import { releaseDependants } from "../dependants.ts";
import { requireJob } from "../views.ts";

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
  const stored = store.byId.get(jobId);
  const state = stored?.state;
  if (stored === undefined || state === undefined || !mayComplete(state, leaseVersion)) {
    return lost(state, leaseVersion);
  }
  // First the next job: a sequence has an unfinished job until it ends.
  const next = outcome.kind === "continuation" ? insertContinuation(database, outcome.job) : null;
  const continuedToId = outcome.kind === "continuedTo" ? outcome.jobId : (next?.id ?? null);
  store.put(
    stored,
    completedState(state, store.now, {
      output: outcome.kind === "output" ? outcome.output : null,
      continuedToId,
      completedBy: workerId,
      completedByLease: leaseVersion,
    }),
  );
  // A loop, not a spread: many dependants would exceed the limit of arguments.
  for (const job of releaseDependants(store, stored)) unblocked.push(job);
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

const jobOf = (stored: StoredJob | null): StateJob | null =>
  stored === null ? null : requireJob(stored);
