// Step 6 of the walk, for a batch. By value each outcome is stored with others of its kind, as for a single job. By callback the
// completions commit together. If they cannot, each job is handed back, or has failed.
import type { Engine } from "../engine.ts";
import { checkOwnership, observeSettle } from "../lifecycle/attempt-events.ts";
import { completeHeldBatch } from "../lifecycle/complete-batch.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import type { Batch, BatchResult } from "../lifecycle/process-job/batch.ts";
import type { Outcome } from "../lifecycle/process-job/decide-failure.ts";
import type { HeldTransaction } from "../lifecycle/process-job/complete.ts";
import type { Rescheduling } from "../lifecycle/reschedule-jobs.ts";

/** How single attempts end. */
export interface SingleSettling {
  readonly settle: (attempt: Attempt, outcome: Outcome) => Promise<void> | null;
  /** Its completion is stored. */
  readonly finish: (attempt: Attempt) => void;
  readonly fail: (attempt: Attempt, error: unknown) => void;
  readonly handBack: (attempt: Attempt) => void;
}

/** Resolves when the slot may continue. */
export const settleBatch = async (
  engine: Engine,
  workerId: string,
  { settle, finish, fail, handBack }: SingleSettling,
  batch: Batch,
  result: BatchResult,
): Promise<void> => {
  const ended = pairOutcomes(batch.attempts, result.outcomes);
  const { transaction } = result;
  if (transaction === null) {
    await Promise.all(ended.map(({ attempt, outcome }) => settle(attempt, outcome)));
    return;
  }
  const stored = await settleHeldBatch(engine, workerId, ended, { ...result, transaction });
  for (const { attempt, outcome } of ended) {
    if (outcome.kind === "threw" && stored.kind !== "lost") void settle(attempt, outcome);
    else if (stored.kind === "stored") finish(attempt);
    else if (stored.kind === "failed") fail(attempt, stored.error);
    else handBack(attempt);
  }
};

interface Ended {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

const pairOutcomes = (
  attempts: readonly Attempt[],
  outcomes: readonly Outcome[],
): readonly Ended[] =>
  attempts.flatMap((attempt, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [{ attempt, outcome }];
  });

/** A job of a batch that could not commit with another one: it is due again at once, and this attempt does not count. */
export const handedBack: Rescheduling["decision"] = {
  kind: "reschedule",
  cause: null,
  error: null,
  schedule: null,
  countsAttempt: false,
  isFailure: false,
};

/**
 * The completions of a batch by callback. `undone`: one of them has failed since, so none may commit. `lost`: a lease was lost, and
 * `failed`: the store has refused them.
 */
const settleHeldBatch = async (
  engine: Engine,
  workerId: string,
  ended: readonly Ended[],
  { transaction, isBroken }: BatchResult & { readonly transaction: HeldTransaction },
): Promise<
  { readonly kind: "stored" | "lost" | "undone" } | { kind: "failed"; error: unknown }
> => {
  const completions = ended.flatMap(({ attempt, outcome }) =>
    outcome.kind === "value" ? [{ attempt, outcome: outcome.outcome }] : [],
  );
  if (isBroken || completions.length === 0) {
    await transaction.rollback();
    return { kind: "undone" };
  }
  try {
    const kind = await observeSettle(engine, completions, () =>
      completeHeldBatch(engine, workerId, transaction, completions),
    );
    return { kind };
  } catch (error) {
    const attempts = completions.map(({ attempt }) => attempt);
    for (const attempt of attempts) attempt.result = null;
    // A store may refuse the statement because a lease was lost meanwhile.
    await checkOwnership(engine, attempts, true);
    return attempts.some(({ isLost }) => isLost) ? { kind: "lost" } : { kind: "failed", error };
  }
};
