// ↺ of the walk: attempts that failed and will be tried again, jobs that asked to wait, and jobs handed back unbegun.
import type { RescheduleJobsParams } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { attemptDurationMs, reportLost } from "./attempt-events.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { Verdict } from "./process-job/outcome.ts";

export interface Rescheduling {
  readonly attempt: Attempt;
  readonly verdict: Extract<Verdict, { readonly kind: "reschedule" }>;
}

/** Gives running jobs back to be run later. Rejects if none was stored. */
export const rescheduleJobs = async (
  engine: Engine,
  items: readonly Rescheduling[],
): Promise<void> => {
  const results = await engine.state.rescheduleJobs({
    jobs: items.map(({ attempt: { job }, verdict }) => ({
      jobId: job.id,
      leaseVersion: job.leaseVersion,
      schedule: verdict.schedule,
      countsAttempt: verdict.countsAttempt,
      error: verdict.error,
    })),
  });
  const effects = engine.effects.create();
  items.forEach(({ attempt, verdict }, index) => {
    const result = results[index];
    if (result === undefined) return;
    if (result.kind === "lost") return reportLost(engine, attempt, result.reason);
    attempt.result = verdict.isFailure ? "retried" : "rescheduled";
    effects.about(attempt.span);
    // Idle workers have to learn the new due time.
    effects.jobScheduled(attempt.job.typeName);
    const durationMs = attemptDurationMs(engine, attempt);
    if (verdict.isFailure) {
      const { cause: error } = verdict;
      effects.emit("jobAttemptFailed", () => ({
        ...attempt.data,
        error,
        willRetry: true,
        durationMs,
      }));
    } else {
      const { scheduledAt } = result;
      effects.emit("jobAttemptRescheduled", () => ({ ...attempt.data, scheduledAt, durationMs }));
    }
  });
  effects.flush();
};

/** Hands back what was claimed and never begun, as if it had not been: its place, and its attempt, are as before. */
export const handBackJobs = async (engine: Engine, attempts: readonly Attempt[]): Promise<void> => {
  if (attempts.length === 0) return;
  const jobs: RescheduleJobsParams<object>["jobs"] = attempts.map(({ job }) => ({
    jobId: job.id,
    leaseVersion: job.leaseVersion,
    schedule: null,
    countsAttempt: false,
    error: null,
  }));
  const results = await engine.state.rescheduleJobs({ jobs });
  const effects = engine.effects.create();
  attempts.forEach((attempt, index) => {
    if (results[index]?.kind !== "rescheduled") return;
    effects.jobScheduled(attempt.job.typeName);
    effects.emit("jobHandedBack", () => attempt.data);
  });
  effects.flush();
};
