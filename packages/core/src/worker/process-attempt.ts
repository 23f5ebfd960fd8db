// One attempt through a slot: begun, run, settled, and counted at each step.
import type { Engine } from "../engine.ts";
import { emitAbout, toStartedData } from "../lifecycle/attempt-events.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import type { Outcome } from "../lifecycle/process-job/outcome.ts";
import { startAttemptSpan } from "../lifecycle/process-job/attempt-span.ts";
import { runAttempt } from "../lifecycle/process-job/run-attempt.ts";
import { UnrecoverableJobError } from "../errors.ts";
import type { Settler } from "./settle.ts";

/** Never rejects. Chained for the same reason as `runAttempt`. */
export const processAttempt = (
  engine: Engine,
  settler: Settler,
  attempt: Attempt,
): Promise<unknown> => {
  attempt.startedAt = engine.clock.now();
  countAttempt(engine, attempt, true);
  startAttemptSpan(engine, attempt);
  emitStarted(engine, attempt);
  const settle = (outcome: Outcome): Promise<void> | null => {
    countAttempt(engine, attempt, false);
    return settler.settle(attempt, outcome);
  };
  return isUsedUp(attempt)
    ? Promise.resolve(settle(usedUp(attempt)))
    : runAttempt(engine, attempt).then(settle);
};

const emitStarted = (engine: Engine, attempt: Attempt): void => {
  if (!engine.observer.isWanted("jobAttemptStarted")) return;
  emitAbout(engine, attempt, "jobAttemptStarted", () => toStartedData(attempt, waitedMs(attempt)));
};

/** Puts the attempt into the gauges, or takes it out: also when it is left behind, and then only once. */
export const countAttempt = ({ observer }: Engine, attempt: Attempt, isUnderWay: boolean): void => {
  if (!observer.hasGauges || attempt.isCounted === isUnderWay) return;
  attempt.isCounted = isUnderWay;
  const { workerId } = attempt;
  const { typeName } = attempt.job;
  observer.idleChanged({ typeName, workerId, delta: isUnderWay ? -1 : 1 });
  observer.processingChanged({ typeName, workerId, delta: isUnderWay ? 1 : -1 });
};

/** By the store's clock alone: from when the job was due to when it was claimed. */
const waitedMs = ({ job }: Attempt): number =>
  Math.max(0, (job.lastAttemptAt ?? job.scheduledAt).getTime() - job.scheduledAt.getTime());

/** A job whose attempts vanish without an outcome kills its workers: it is stopped before it begins again. */
const isUsedUp = ({ job, processor }: Attempt): boolean => {
  const { maxAttempts } = processor.retryPolicy;
  return maxAttempts !== null && job.attempt > maxAttempts;
};

const usedUp = ({ job, processor }: Attempt): Outcome => ({
  kind: "threw",
  error: new UnrecoverableJobError(
    `All ${processor.retryPolicy.maxAttempts} attempts were begun and the last had no outcome: ` +
      `its worker vanished. Last error: ${job.lastAttemptError ?? "none"}`,
  ),
});
