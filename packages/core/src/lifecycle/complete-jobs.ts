// Step 6 of the walk: outputs are stored, leases cleared, continuations created and waiting jobs released, all in one call
// for many jobs. By value they commit together; by callback one commits with the user's writes.
import type { CompletionOutcome, CompletionResult } from "../adapters/state-adapter-params.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Effects } from "../after-commit/post-commit-effects.ts";
import { withRetry } from "../async/retry.ts";
import type { Engine } from "../engine.ts";
import {
  attemptDurationMs,
  reportLost,
  reportWorkerError,
  toCompletedData,
} from "./attempt-events.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { HeldTransaction } from "./process-job/held-transaction.ts";
import { describeCompleted, describeUnblocked } from "./record-settled.ts";

export interface ValueCompletion {
  readonly attempt: Attempt;
  readonly outcome: CompletionOutcome;
}

/** Settles completions by value, of one worker, in a transaction of their own. Rejects if none was stored. */
export const completeJobs = async (
  engine: Engine,
  workerId: string,
  completions: readonly ValueCompletion[],
): Promise<void> => {
  const { results, unblocked } = await engine.state.completeJobs({
    workerId,
    completions: completions.map(({ attempt, outcome }) => toCompletion(attempt, outcome)),
  });
  const effects = engine.effects.create();
  if (unblocked.length > 0) describeUnblocked(effects, unblocked, spansBySequence(completions));
  completions.forEach(({ attempt, outcome }, index) => {
    const result = results[index];
    effects.about(attempt.span);
    if (result !== undefined) describeResult(engine, effects, attempt, outcome, result);
  });
  effects.flush();
};

/** Among those settled together, who has released whom; empty when nobody traces. */
const spansBySequence = (
  completions: readonly ValueCompletion[],
): ReadonlyMap<string, ObservabilitySpan> => {
  const spans = new Map<string, ObservabilitySpan>();
  for (const { span, job } of completions.map(({ attempt }) => attempt)) {
    if (span !== null) spans.set(job.sequenceId, span);
  }
  return spans;
};

const toCompletion = (
  { job }: Attempt,
  outcome: CompletionOutcome,
): { jobId: string; leaseVersion: number; outcome: CompletionOutcome } => ({
  jobId: job.id,
  leaseVersion: job.leaseVersion,
  outcome,
});

const describeResult = (
  engine: Engine,
  effects: Effects,
  attempt: Attempt,
  outcome: CompletionOutcome,
  result: CompletionResult,
): void => {
  if (result.kind === "completed") {
    describeAttempt(engine, effects, attempt, outcome);
    describeCompleted(effects, attempt.job, outcome, result, attempt.workerId);
  } else if (result.storedByThisLease) {
    // An earlier try was stored and its answer lost. What it released has been left to polling.
    describeAttempt(engine, effects, attempt, outcome);
    describeLateSuccess(effects, attempt, outcome);
  } else {
    reportLost(engine, attempt, result.reason);
  }
};

const describeAttempt = (
  engine: Engine,
  effects: Effects,
  attempt: Attempt,
  outcome: CompletionOutcome,
): void => {
  const continued = outcome.kind !== "output";
  attempt.result = continued ? "continued" : "completed";
  if (!engine.observer.isWanted("jobAttemptCompleted")) return;
  const durationMs = attemptDurationMs(engine, attempt);
  effects.emit("jobAttemptCompleted", () => toCompletedData(attempt, continued, durationMs));
};

/** The store's own time of it is not at hand; this worker's is close enough for a duration. */
const describeLateSuccess = (
  effects: Effects,
  attempt: Attempt,
  outcome: CompletionOutcome,
): void => {
  const result = { kind: "completed", completedAt: new Date(), continuation: null } as const;
  if (outcome.kind === "continuation") effects.jobScheduled(outcome.job.typeName);
  describeCompleted(effects, attempt.job, outcome, result, attempt.workerId);
};

/**
 * Settles a completion by callback in its still open transaction, and ends it. Answers false when the job is no longer
 * this attempt's: then nothing is stored. Rejects when nothing is stored for another reason.
 */
export const completeHeldJob = async (
  engine: Engine,
  attempt: Attempt,
  transaction: HeldTransaction,
  outcome: CompletionOutcome,
): Promise<boolean> => {
  const { effects } = transaction;
  // Where the store can, the statement takes the commit with it.
  const andCommit = engine.state.capabilities.completesAndCommits === true;
  let result: CompletionResult;
  try {
    result = await settleInside(engine, attempt, transaction, { outcome, andCommit });
  } catch (error) {
    if (!andCommit) {
      await transaction.rollback();
      throw error;
    }
    await transaction.abandon();
    await assertStored(engine, attempt, effects, error);
    effects.about(attempt.span);
    describeAttempt(engine, effects, attempt, outcome);
    describeLateSuccess(effects, attempt, outcome);
    effects.flush();
    return true;
  }
  if (result.kind === "lost") {
    await transaction.rollback();
    reportLost(engine, attempt, result.reason);
    return false;
  }
  effects.about(attempt.span);
  describeAttempt(engine, effects, attempt, outcome);
  describeCompleted(effects, attempt.job, outcome, result, attempt.workerId);
  try {
    await transaction.commit();
  } catch (error) {
    await assertStored(engine, attempt, effects, error);
    effects.flush();
  }
  return true;
};

const settleInside = async (
  engine: Engine,
  attempt: Attempt,
  transaction: HeldTransaction,
  { outcome, andCommit }: { readonly outcome: CompletionOutcome; readonly andCommit: boolean },
): Promise<CompletionResult> => {
  const { results, unblocked } = await engine.state.completeJobs({
    context: transaction.context,
    workerId: attempt.workerId,
    completions: [toCompletion(attempt, outcome)],
    andCommit,
  });
  describeUnblocked(transaction.effects, unblocked);
  return results[0] ?? { kind: "lost", reason: "not_found", storedByThisLease: false };
};

/** After an error of the commit: rejects with it, and drops the effects, unless the completion is there. */
const assertStored = async (
  engine: Engine,
  attempt: Attempt,
  effects: Effects,
  error: unknown,
): Promise<void> => {
  if (await wasStored(engine, attempt)) return;
  effects.discard();
  throw error;
};

/** A commit whose answer was lost is looked up, not repeated: the token of the lease tells whose completion it is. */
const wasStored = async (engine: Engine, attempt: Attempt): Promise<boolean> => {
  const { id, leaseVersion } = attempt.job;
  try {
    const [stored] = await withRetry(() => engine.state.getJobs({ ids: [id] }), {
      isRetryable: () => true,
      maxRetries: 6,
      initialDelayMs: 100,
      maxDelayMs: 2_000,
      clock: engine.clock,
      random: engine.random,
    });
    return (
      stored?.status === "completed" &&
      stored.leaseVersion === leaseVersion &&
      stored.completedBy === attempt.workerId
    );
  } catch (error) {
    // Unknown: recording a failure is fenced by the token, so it cannot undo a completion.
    reportWorkerError(engine, attempt, "look up whether a commit was stored", error);
    return false;
  }
};
