// Step 6 of the walk, completed: one call stores outputs, ends leases, creates continuations and releases dependants. By
// value many jobs commit together; by callback one commits with the user's writes.
import type {
  CompletionOutcome,
  CompletionResult,
  JobCompletion,
} from "../adapters/state-adapter-params.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { QueuertEventData } from "../adapters/events.ts";
import type { Effects } from "../after-commit/open-transactions.ts";
import { withRetry } from "../async/retry.ts";
import type { Engine } from "../engine.ts";
import { attemptDurationMs, reportLost, reportWorkerError } from "./attempt-events.ts";
import type { Attempt } from "./process-job/attempt.ts";
import type { HeldTransaction } from "./process-job/complete.ts";
import { addCompletedEffects, addUnblockedEffects } from "./job-effects.ts";

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
  if (unblocked.length > 0) addUnblockedEffects(effects, unblocked, spansBySequence(completions));
  completions.forEach(({ attempt, outcome }, index) => {
    const result = results[index];
    effects.about(attempt.span);
    if (result !== undefined) addResultEffects(engine, effects, attempt, outcome, result);
  });
  effects.flush();
};

/** The spans of the attempts that ended these sequences; empty without tracing. */
export const spansBySequence = (
  completions: readonly ValueCompletion[],
): ReadonlyMap<string, ObservabilitySpan> => {
  const spans = new Map<string, ObservabilitySpan>();
  for (const { span, job } of completions.map(({ attempt }) => attempt)) {
    if (span !== null) spans.set(job.sequenceId, span);
  }
  return spans;
};

export const toCompletion = ({ job }: Attempt, outcome: CompletionOutcome): JobCompletion => {
  const { id: jobId, typeName, leaseVersion } = job;
  return { jobId, typeName, leaseVersion, outcome };
};

export const addResultEffects = (
  engine: Engine,
  effects: Effects,
  attempt: Attempt,
  outcome: CompletionOutcome,
  result: CompletionResult,
): void => {
  if (result.kind === "completed") {
    addAttemptEffects(engine, effects, attempt, outcome);
    addCompletedEffects(effects, attempt.job, outcome, result, attempt.workerId);
  } else if (result.storedByThisLease) {
    addAttemptEffects(engine, effects, attempt, outcome);
    addLateEffects(engine, effects, attempt, outcome);
  } else {
    reportLost(engine, attempt, result.reason);
  }
};

const addAttemptEffects = (
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

/** Field by field: spreading costs a microsecond, and every completed attempt has this event. */
const toCompletedData = (
  { data }: Attempt,
  continued: boolean,
  durationMs: number,
): QueuertEventData["jobAttemptCompleted"] => ({
  id: data.id,
  typeName: data.typeName,
  sequenceId: data.sequenceId,
  sequenceTypeName: data.sequenceTypeName,
  rootSequenceId: data.rootSequenceId,
  originId: data.originId,
  workerId: data.workerId,
  attempt: data.attempt,
  leaseVersion: data.leaseVersion,
  continued,
  durationMs,
});

/**
 * An earlier try was stored, and its result was lost on the way. The store's time of it is not known: this worker's is close
 * enough for a duration. Neither are the dependants that it released.
 */
const addLateEffects = (
  engine: Engine,
  effects: Effects,
  attempt: Attempt,
  outcome: CompletionOutcome,
): void => {
  const result = { kind: "completed", completedAt: new Date(), continuation: null } as const;
  if (outcome.kind === "continuation") effects.jobScheduled(outcome.job.typeName);
  addCompletedEffects(effects, attempt.job, outcome, result, attempt.workerId);
  if (outcome.kind === "output") engine.local.jobsMayBeDue();
};

/**
 * Settles a completion by callback in its still open transaction, and ends it:
 *
 *   completeJobs ─┬─ completed ─▶ commit ─┬─ succeeded ─▶ effects
 *                 │                       └─ failed ────▶ look up: stored ─▶ effects, else rejects
 *                 ├─ lost ─────▶ rollback, reported
 *                 └─ rejected ─▶ rollback, rejects (with the commit in the statement: look up, as above)
 */
export const completeHeldJob = async (
  engine: Engine,
  attempt: Attempt,
  transaction: HeldTransaction,
  outcome: CompletionOutcome,
): Promise<void> => {
  const { effects } = transaction;
  // Where the store can, the statement includes the commit.
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
    addAttemptEffects(engine, effects, attempt, outcome);
    addLateEffects(engine, effects, attempt, outcome);
    return effects.flush();
  }
  if (result.kind === "lost") {
    await transaction.rollback();
    return reportLost(engine, attempt, result.reason);
  }
  effects.about(attempt.span);
  addAttemptEffects(engine, effects, attempt, outcome);
  addCompletedEffects(effects, attempt.job, outcome, result, attempt.workerId);
  try {
    await transaction.commit();
  } catch (error) {
    await assertStored(engine, attempt, effects, error);
    effects.flush();
  }
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
  addUnblockedEffects(transaction.effects, unblocked);
  return results[0] ?? { kind: "lost", reason: "not_found", storedByThisLease: false };
};

/** After an error of the commit: rejects with it, and drops the effects, unless the completion is stored. */
export const assertStored = async (
  engine: Engine,
  attempt: Attempt,
  effects: Effects,
  error: unknown,
): Promise<void> => {
  if (await wasStored(engine, attempt)) return;
  effects.discard();
  throw error;
};

/** A commit whose result was lost is looked up, not repeated: the lease version identifies the completion. */
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
    // Unknown. A failure that is recorded next is fenced by the lease version: it cannot undo a completion.
    reportWorkerError(engine, attempt, "look up whether its commit was stored", error);
    return false;
  }
};
