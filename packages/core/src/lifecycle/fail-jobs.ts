// ✕ of the walk: the attempts are used up, or no further attempt can succeed. The job keeps its input, its last error and
// its history, until `retryFailedJobs` or deletion.
import type { FailJobsResult } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import type { StateJob } from "../model/state-job.ts";
import { attemptDurationMs, reportLost } from "./attempt-events.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { FailureDecision } from "./process-job/decide-failure.ts";
import {
  addFailedDependantEffects,
  addFailedJobEffects,
  addUnblockedEffects,
} from "./job-effects.ts";

export interface Failing {
  readonly attempt: Attempt;
  readonly decision: Extract<FailureDecision, { readonly kind: "fail" }>;
}

/** Fails running jobs, and blocked ones that asked to fail with them. Rejects if none was stored. */
export const failJobs = async (engine: Engine, items: readonly Failing[]): Promise<void> => {
  const { results, dependants, unblocked } = await engine.state.failJobs({
    jobs: items.map(({ attempt: { job }, decision }) => ({
      jobId: job.id,
      leaseVersion: job.leaseVersion,
      error: decision.error,
    })),
  });
  const stored = await lookUp(engine, dependants);
  const effects = engine.effects.create();
  addFailedDependantEffects(effects, dependants, stored);
  addUnblockedEffects(effects, unblocked);
  items.forEach(({ attempt, decision }, index) => {
    const result = results[index];
    if (result === undefined) return;
    if (result.kind === "lost") return reportLost(engine, attempt, result.reason);
    attempt.result = "failed";
    effects.about(attempt.span);
    const durationMs = attemptDurationMs(engine, attempt);
    const { cause: error } = decision;
    effects.emit("jobAttemptFailed", () => ({
      ...attempt.data,
      error,
      willRetry: false,
      attemptsLeft: 0,
      retryAt: null,
      durationMs,
    }));
    const reason = `attempt ${attempt.job.attempt} failed`;
    addFailedJobEffects(effects, attempt.job, result.failedAt, attempt.workerId, reason);
  });
  effects.flush();
};

/** The events of their sequences need more fields than the store returns. Few jobs fail so, and often no event is wanted. */
const lookUp = async (
  { state, observer }: Engine,
  dependants: FailJobsResult["dependants"],
): Promise<readonly (StateJob | undefined)[]> => {
  if (dependants.length === 0 || !observer.isWanted("jobSequenceFailed")) return [];
  try {
    return await state.getJobs({ ids: dependants.map(({ id }) => id) });
  } catch (error) {
    // Reported by the adapter's wrapping. They failed regardless: the events without these fields are emitted.
    void error;
    return [];
  }
};
