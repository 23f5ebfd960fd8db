// How an attempt ends, and whether a failed one is retried.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import { limits } from "../../defaults.ts";
import type { Engine } from "../../engine.ts";
import {
  JobCancelledError,
  LimitExceededError,
  NotJsonError,
  PayloadCodecError,
  ProcessMisuseError,
  RescheduleJobError,
  UnrecoverableJobError,
} from "../../errors.ts";
import { toRetryPolicy } from "../../model/backoff.ts";
import { describeError } from "../../model/describe-error.ts";
import type { ScheduleOptions } from "../../model/schedule.ts";
import { reportWorkerError } from "../attempt-events.ts";
import type { RescheduledScope } from "../../reschedule-error.ts";
import type { Attempt } from "./attempt.ts";
import type { HeldTransaction } from "./complete.ts";

const { cancelReasonLengthMax } = limits;

export type Outcome =
  /** By value: settled together with others. */
  | { readonly kind: "value"; readonly outcome: CompletionOutcome }
  /** By callback: settled in the transaction that is still open. */
  | {
      readonly kind: "held";
      readonly outcome: CompletionOutcome;
      readonly transaction: HeldTransaction;
    }
  | { readonly kind: "threw"; readonly error: unknown };

/** A job whose attempts vanish without an outcome kills its workers: it is stopped before it begins again. Else null. */
export const toUsedUp = ({ job, processor }: Attempt): Outcome | null => {
  const { maxAttempts } = processor.retryPolicy;
  if (maxAttempts === null || job.attempt <= maxAttempts) return null;
  const error = new UnrecoverableJobError(
    `All ${maxAttempts} attempts were begun and the last had no outcome: ` +
      `its worker vanished. Last error: ${job.lastAttemptError ?? "none"}`,
  );
  return { kind: "threw", error };
};

/** The consequence of a thrown error for the job. */
export type FailureDecision =
  | { readonly kind: "fail"; readonly cause: unknown; readonly error: string }
  | {
      readonly kind: "cancel";
      readonly reason: string | null;
      readonly dependants: "fail" | "cancel";
    }
  | {
      readonly kind: "reschedule";
      readonly cause: unknown;
      readonly error: string | null;
      readonly schedule: ScheduleOptions | null;
      readonly countsAttempt: boolean;
      /** Whether the attempt counts as failed, or merely asked to be run again. */
      readonly isFailure: boolean;
      /** The jobs that do not start before either, and for how long. Left out: no other job waits. */
      readonly pauses?: { readonly scope: RescheduledScope; readonly forMs: number } | undefined;
    };

/**
 * Decides by the error alone: the statement that writes knows whether the job is still held. Never throws: a thrown value
 * whose class cannot be read, such as a revoked proxy, is an error like any other.
 */
export const decideFailure = (
  engine: Engine,
  attempt: Attempt,
  error: unknown,
): FailureDecision => {
  try {
    return decideReadable(engine, attempt, error);
  } catch (cause) {
    const unreadable = new Error("The thrown value cannot be read", { cause });
    return decideReadable(engine, attempt, unreadable);
  }
};

const decideReadable = (engine: Engine, attempt: Attempt, error: unknown): FailureDecision => {
  const { job, processor, abortReason } = attempt;
  if (error instanceof RescheduleJobError) {
    if (error.pauses !== "key" || engine.jobTypeLimits.has(job.typeName))
      return requestedSchedule(error);
    const remedy = "give its type a `key` in `limits.jobTypes`";
    const misuse = new ProcessMisuseError(`pauses: "key" needs a limit key: ${remedy}`);
    return { kind: "fail", cause: misuse, error: describeError(misuse) };
  }
  if (error instanceof JobCancelledError) {
    const { dependants } = error;
    const reason = error.message === "" ? null : error.message.slice(0, cancelReasonLengthMax);
    return { kind: "cancel", reason, dependants: dependants === "cancel" ? "cancel" : "fail" };
  }
  const text = describeError(error);
  if (isPermanent(error)) return { kind: "fail", cause: error, error: text };
  if (abortReason === "shutdown") {
    // It ended because its worker stops: no attempt is used up, and it is due again at once.
    return {
      kind: "reschedule",
      cause: error,
      error: text,
      schedule: null,
      countsAttempt: false,
      isFailure: false,
    };
  }
  const { maxAttempts } = processor.retryPolicy;
  if (maxAttempts !== null && job.attempt >= maxAttempts) {
    return { kind: "fail", cause: error, error: text };
  }
  return {
    kind: "reschedule",
    cause: error,
    error: text,
    schedule: { afterMs: retryDelayMs(engine, attempt, error) },
    countsAttempt: true,
    isFailure: true,
  };
};

/** No further attempt can succeed. If misuse was the result of another error, that error may pass. */
const isPermanent = (error: unknown): boolean =>
  error instanceof UnrecoverableJobError ||
  error instanceof LimitExceededError ||
  error instanceof NotJsonError ||
  error instanceof PayloadCodecError ||
  (error instanceof ProcessMisuseError && error.cause === undefined);

const requestedSchedule = (error: RescheduleJobError): FailureDecision => ({
  kind: "reschedule",
  cause: error,
  error: error.cause === undefined ? null : describeError(error.cause),
  schedule: error.schedule,
  countsAttempt: false,
  isFailure: false,
  pauses:
    error.pauses === null ? undefined : { scope: error.pauses, forMs: error.schedule.afterMs ?? 0 },
});

const retryDelayMs = (engine: Engine, attempt: Attempt, error: unknown): number => {
  const { job, processor } = attempt;
  try {
    return processor.retryPolicy.delayMs(job.attempt, error, engine.random);
  } catch (policyError) {
    // A retry policy of the user's that throws must not cost the job its retry.
    reportWorkerError(engine, attempt, "ask the retry policy", policyError);
    return toRetryPolicy().delayMs(job.attempt, error, engine.random);
  }
};
