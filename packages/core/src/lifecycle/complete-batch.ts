// Step 6 of the walk, for a batch by callback: its completions commit together with the user's writes, or none does.
import type { CompleteJobsResult } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { reportLost } from "./attempt-events.ts";
import {
  addResultEffects,
  assertStored,
  spansBySequence,
  toCompletion,
  type ValueCompletion,
} from "./complete-jobs.ts";
import { addUnblockedEffects } from "./job-effects.ts";
import type { HeldTransaction } from "./process-job/complete.ts";

/**
 * Settles the completions of a batch by callback in their still open transaction, and ends it. `lost`: a lease was lost, so nothing
 * is stored. Rejects if nothing was stored for another reason.
 */
export const completeHeldBatch = async (
  engine: Engine,
  workerId: string,
  transaction: HeldTransaction,
  completions: readonly ValueCompletion[],
): Promise<"stored" | "lost"> => {
  const { context, effects } = transaction;
  const settle = (): Promise<CompleteJobsResult> =>
    engine.state.completeJobs({
      context,
      workerId,
      completions: completions.map(({ attempt, outcome }) => toCompletion(attempt, outcome)),
    });
  const { results, unblocked } = await settle().catch(async (error: unknown) => {
    await transaction.rollback();
    throw error;
  });
  if (!results.every(({ kind }) => kind === "completed")) {
    await transaction.rollback();
    completions.forEach(({ attempt }, index) => {
      const result = results[index];
      if (result?.kind === "lost") reportLost(engine, attempt, result.reason);
    });
    return "lost";
  }
  if (unblocked.length > 0) addUnblockedEffects(effects, unblocked, spansBySequence(completions));
  completions.forEach(({ attempt, outcome }, index) => {
    const result = results[index];
    effects.about(attempt.span);
    if (result !== undefined) addResultEffects(engine, effects, attempt, outcome, result);
  });
  try {
    await transaction.commit();
  } catch (error) {
    // All of them are stored, or none is.
    const [first] = completions;
    if (first === undefined) throw error;
    await assertStored(engine, first.attempt, effects, error);
    effects.flush();
  }
  return "stored";
};
