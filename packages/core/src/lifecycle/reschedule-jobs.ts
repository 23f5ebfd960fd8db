// ↺ of the walk: failed attempts that are retried, jobs that asked for a later time, and jobs handed back before they began.
import type { RescheduleJobsParams } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { attemptDurationMs, reportLost } from "./attempt-events.ts";
import { pauseScopeOf } from "./pauses.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { FailureDecision } from "./process-job/decide-failure.ts";

export interface Rescheduling {
  readonly attempt: Attempt;
  readonly decision: Extract<FailureDecision, { readonly kind: "reschedule" }>;
}

/** Makes running jobs due later. Rejects if none was stored. */
export const rescheduleJobs = async (
  engine: Engine,
  items: readonly Rescheduling[],
): Promise<void> => {
  // In a transaction of its own, and first: a crash between the two costs one more attempt, and no lock is held across them.
  for (const { attempt, decision } of items) {
    const { pauses } = decision;
    if (pauses !== undefined) await pauseScopeOf(engine, attempt.job, pauses);
  }
  const results = await engine.state.rescheduleJobs({
    jobs: items.map(({ attempt: { job }, decision }) => ({
      jobId: job.id,
      leaseVersion: job.leaseVersion,
      schedule: decision.schedule,
      countsAttempt: decision.countsAttempt,
      error: decision.error,
    })),
  });
  const effects = engine.effects.create();
  let isAnyLost = false;
  items.forEach(({ attempt, decision }, index) => {
    const result = results[index];
    if (result === undefined) return;
    if (result.kind === "lost") {
      isAnyLost = true;
      return reportLost(engine, attempt, result.reason);
    }
    attempt.result = decision.isFailure ? "retried" : "rescheduled";
    effects.about(attempt.span);
    // Idle workers have to learn the new due time.
    effects.jobScheduled(attempt.job.typeName);
    const durationMs = attemptDurationMs(engine, attempt);
    const { scheduledAt } = result;
    if (decision.isFailure) {
      const { cause: error } = decision;
      const { maxAttempts } = attempt.processor.retryPolicy;
      effects.emit("jobAttemptFailed", () => ({
        ...attempt.data,
        error,
        willRetry: true,
        attemptsLeft: maxAttempts === null ? null : Math.max(0, maxAttempts - attempt.job.attempt),
        retryAt: scheduledAt,
        durationMs,
      }));
    } else {
      effects.emit("jobAttemptRescheduled", () => ({ ...attempt.data, scheduledAt, durationMs }));
    }
  });
  effects.flush();
  // An earlier try may have been stored and its result lost on the way: those jobs are due.
  if (isAnyLost) engine.local.jobsMayBeDue();
};

/** Hands back jobs that were acquired and never begun. Their place in the queue and their attempts are as before. */
export const handBackJobs = async (engine: Engine, attempts: readonly Attempt[]): Promise<void> => {
  if (attempts.length === 0) return;
  const jobs: RescheduleJobsParams<object>["jobs"] = attempts.map(({ job }) => ({
    jobId: job.id,
    leaseVersion: job.leaseVersion,
    schedule: null,
    countsAttempt: false,
    error: null,
  }));
  let handedBackCount = 0;
  try {
    const results = await engine.state.rescheduleJobs({ jobs });
    const effects = engine.effects.create();
    attempts.forEach((attempt, index) => {
      if (results[index]?.kind !== "rescheduled") return;
      handedBackCount += 1;
      effects.jobScheduled(attempt.job.typeName);
      effects.emit("jobHandedBack", () => attempt.data);
    });
    effects.flush();
  } finally {
    // The statement may have been stored and its result lost on the way: the jobs are due.
    if (handedBackCount < attempts.length) engine.local.jobsMayBeDue();
  }
};
