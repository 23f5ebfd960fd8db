// Run now: a pending job that is due later becomes due at once.
import type { Engine } from "../engine.ts";
import type { TriggerJobResult } from "../public-types/retention.ts";
import { requireTransaction } from "../after-commit/open-transactions.ts";
import { assertIds } from "./delete-sequences.ts";

/** In the caller's transaction if a context is given, else by itself. */
export const triggerJobs = async (
  engine: Engine,
  context: object | undefined,
  ids: readonly string[],
): Promise<readonly TriggerJobResult[]> => {
  assertIds(ids, "ids");
  if (context === undefined) engine.nesting.assertOutside("triggerJobs");
  else await requireTransaction(engine, context, "triggerJobs");
  const results = await engine.state.triggerJobs({ context, ids });
  const triggered = results.flatMap((result) => (result.kind === "triggered" ? [result.job] : []));
  const [first] = triggered;
  if (first !== undefined) {
    const evidence = {
      operation: "triggerJobs",
      jobId: first.id,
      jobCount: triggered.length,
      isConfirmedBy: () => true,
    };
    engine.effects.record(context, evidence, (effects) => {
      for (const { typeName } of triggered) effects.jobScheduled(typeName);
    });
  }
  return results.map((result, index): TriggerJobResult => {
    const id = ids[index] ?? "";
    return result.kind === "refused"
      ? { id, triggered: false, reason: result.reason }
      : { id, triggered: true };
  });
};
