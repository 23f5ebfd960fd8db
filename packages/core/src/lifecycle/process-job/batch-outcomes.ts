// The outcomes that a batch handler gives to `complete`, one for each job, as they are settled.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import type { Engine } from "../../engine.ts";
import { ProcessMisuseError, RescheduleJobError } from "../../errors.ts";
import { assertSchedule } from "../../model/schedule.ts";
import { toNewContinuation } from "../continuation.ts";
import type { NewJobOptions } from "../new-job.ts";
import { assertWithoutBlockers, type Attempt, toOutputOutcome } from "./attempt.ts";

export type BatchItem =
  | { readonly kind: "completion"; readonly outcome: CompletionOutcome }
  /** `isDeclared`: the handler has given this outcome. Else it has given one that cannot be stored. */
  | { readonly kind: "threw"; readonly error: unknown; readonly isDeclared: boolean };

/** Continues in the transaction of a callback. */
export interface InTransaction {
  readonly continueWith: (attempt: Attempt, options: object) => Promise<CompletionOutcome>;
}

/** Rejects if there are more outcomes than jobs. */
export const toBatchItems = async (
  engine: Engine,
  attempts: readonly Attempt[],
  outcomes: readonly unknown[],
  inTransaction: InTransaction | null,
): Promise<readonly BatchItem[]> => {
  if (outcomes.length > attempts.length) {
    throw new ProcessMisuseError(
      `complete was given ${outcomes.length} outcomes for ${attempts.length} jobs: ` +
        "give one for each job, in the order of `jobs`",
    );
  }
  const items: BatchItem[] = [];
  // One after the other: a transaction has one connection.
  for (const [index, attempt] of attempts.entries()) {
    try {
      items.push(await toItem(engine, attempt, outcomes[index], inTransaction));
    } catch (error) {
      items.push({ kind: "threw", error, isDeclared: false });
    }
  }
  return items;
};

const keys = ["output", "continueWith", "error", "retryAfterMs"] as const;

const toItem = async (
  engine: Engine,
  attempt: Attempt,
  given: unknown,
  inTransaction: InTransaction | null,
): Promise<BatchItem> => {
  const outcome = (typeof given === "object" && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  const [key, second] = givenKeys(outcome);
  if (key === undefined || second !== undefined) {
    throw new ProcessMisuseError(
      "complete of a batch takes one outcome for each job, in the order of `jobs`: exactly one of " +
        "`output`, `continueWith`, `error` and `retryAfterMs`",
    );
  }
  const value = outcome[key];
  switch (key) {
    case "output":
      return { kind: "completion", outcome: await toOutputOutcome(engine, attempt.job, value) };
    case "continueWith":
      return {
        kind: "completion",
        outcome: await continueWith(engine, attempt, value as NewJobOptions, inTransaction),
      };
    case "retryAfterMs": {
      const schedule = { afterMs: value as number };
      assertSchedule(schedule, "retryAfterMs");
      return { kind: "threw", error: new RescheduleJobError(schedule), isDeclared: true };
    }
    default:
      return { kind: "threw", error: value, isDeclared: true };
  }
};

/** An output may be undefined, and so may an error that was thrown. */
const givenKeys = (
  outcome: Readonly<Record<string, unknown>>,
): readonly (typeof keys)[number][] => {
  const given = keys.filter((key) => outcome[key] !== undefined);
  if (given.length > 0) return given;
  return keys.filter((key) => key in outcome && (key === "output" || key === "error"));
};

const continueWith = async (
  engine: Engine,
  attempt: Attempt,
  options: NewJobOptions,
  inTransaction: InTransaction | null,
): Promise<CompletionOutcome> => {
  if (inTransaction !== null) return inTransaction.continueWith(attempt, options);
  assertWithoutBlockers(options);
  const traceContext = attempt.span?.traceContext() ?? attempt.job.traceContext;
  const job = await toNewContinuation(engine, attempt.job, options, traceContext);
  return { kind: "continuation", job };
};
