// How an attempt ends, as the process function left it, and what a failure makes of the job.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import type { Engine } from "../../engine.ts";
import { RescheduleJobError, UnrecoverableJobError } from "../../errors.ts";
import { toRetryPolicy } from "../../model/backoff.ts";
import { describeError } from "../../model/describe-error.ts";
import type { ScheduleOptions } from "../../model/schedule.ts";
import { emitAbout } from "../attempt-events.ts";
import type { Attempt } from "./attempt.ts";
import type { HeldTransaction } from "./held-transaction.ts";

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

/** What a thrown error makes of the job. */
export type Verdict =
  | { readonly kind: "fail"; readonly cause: unknown; readonly error: string }
  | {
      readonly kind: "reschedule";
      readonly cause: unknown;
      readonly error: string | null;
      readonly schedule: ScheduleOptions | null;
      readonly countsAttempt: boolean;
      /** Whether the attempt counts as failed, or merely asked to be run again. */
      readonly isFailure: boolean;
    };

/**
 * Decides by the error alone: whether the job is still ours is for the statement that writes to say. Never throws: what cannot
 * even be asked for its class, such as a revoked proxy, is an error like any other.
 */
export const judge = (engine: Engine, attempt: Attempt, error: unknown): Verdict => {
  try {
    return judgeReadable(engine, attempt, error);
  } catch (cause) {
    const unreadable = new Error("What was thrown cannot be read", { cause });
    return judgeReadable(engine, attempt, unreadable);
  }
};

const judgeReadable = (engine: Engine, attempt: Attempt, error: unknown): Verdict => {
  const { job, processor, abortReason } = attempt;
  if (error instanceof RescheduleJobError) return askedToWait(error);
  const text = describeError(error);
  if (error instanceof UnrecoverableJobError) return { kind: "fail", cause: error, error: text };
  if (abortReason === "shutdown") {
    // Told to stop, it stopped: not the job's fault, so nothing counts and it is due again at once.
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

const askedToWait = (error: RescheduleJobError): Verdict => ({
  kind: "reschedule",
  cause: error,
  error: error.cause === undefined ? null : describeError(error.cause),
  schedule: error.schedule,
  countsAttempt: false,
  isFailure: false,
});

const retryDelayMs = (engine: Engine, attempt: Attempt, error: unknown): number => {
  const { job, processor, workerId } = attempt;
  try {
    return processor.retryPolicy.delayMs(job.attempt, error, engine.random);
  } catch (policyError) {
    // A policy of the user's that throws must not cost the job its retry.
    emitAbout(engine, attempt, "workerError", () => ({
      workerId,
      typeNames: [processor.typeName],
      operation: `ask the retry policy of job type ${processor.typeName}`,
      error: policyError,
    }));
    return toRetryPolicy().delayMs(job.attempt, error, engine.random);
  }
};
