// The dead letter: attempts used up, or an error that no further attempt can mend. The job keeps everything, and waits
// for `retryFailedJobs` or deletion.
import type { FailJobsResult } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import type { StateJob } from "../model/state-job.ts";
import { attemptDurationMs, reportLost } from "./attempt-events.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { Verdict } from "./process-job/outcome.ts";
import { describeFailedDependants, describeFailedJob } from "./record-settled.ts";

export interface Failing {
  readonly attempt: Attempt;
  readonly verdict: Extract<Verdict, { readonly kind: "fail" }>;
}

/** Fails running jobs, and blocked ones that asked to fail with them. Rejects if none was stored. */
export const failJobs = async (engine: Engine, items: readonly Failing[]): Promise<void> => {
  const { results, dependants } = await engine.state.failJobs({
    jobs: items.map(({ attempt: { job }, verdict }) => ({
      jobId: job.id,
      leaseVersion: job.leaseVersion,
      error: verdict.error,
    })),
  });
  const stored = await lookUp(engine, dependants);
  const effects = engine.effects.create();
  describeFailedDependants(effects, dependants, stored);
  items.forEach(({ attempt, verdict }, index) => {
    const result = results[index];
    if (result === undefined) return;
    if (result.kind === "lost") return reportLost(engine, attempt, result.reason);
    attempt.result = "failed";
    effects.about(attempt.span);
    const durationMs = attemptDurationMs(engine, attempt);
    const { cause: error } = verdict;
    effects.emit("jobAttemptFailed", () => ({
      ...attempt.data,
      error,
      willRetry: false,
      durationMs,
    }));
    const reason = `attempt ${attempt.job.attempt} failed`;
    describeFailedJob(effects, attempt.job, result.failedAt, attempt.workerId, reason);
  });
  effects.flush();
};

/** What is said of their sequences takes more than the store answers; few jobs fail so, and often nobody listens. */
const lookUp = async (
  { state, observer }: Engine,
  dependants: FailJobsResult["dependants"],
): Promise<readonly (StateJob | undefined)[]> => {
  if (dependants.length === 0 || !observer.isWanted("jobSequenceFailed")) return [];
  try {
    return await state.getJobs({ ids: dependants.map(({ id }) => id) });
  } catch (error) {
    // Reported by the adapter's wrapping. They have failed all the same, and so much is said.
    void error;
    return [];
  }
};
