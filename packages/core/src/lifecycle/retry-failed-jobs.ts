// A failed job whose cause has been mended: it is due again, with its attempts counted from 0.
import type { Engine } from "../engine.ts";
import type { RetryFailedJobResult } from "../public-types/retention.ts";
import type { StateJob } from "../model/state-job.ts";
import { toReference } from "../model/job.ts";
import { requireTransaction } from "../after-commit/open-transactions.ts";
import { assertIds } from "./delete-sequences.ts";

/** In the caller's transaction if a context is given, else by itself. */
export const retryFailedJobs = async (
  engine: Engine,
  context: object | undefined,
  ids: readonly string[],
): Promise<readonly RetryFailedJobResult[]> => {
  assertIds(ids, "ids");
  if (context === undefined) engine.nesting.assertOutside("retryFailedJobs");
  else await requireTransaction(engine, context, "retryFailedJobs");
  const results = await engine.state.retryFailedJobs({ context, ids });
  const retried = results.flatMap((result) => (result.kind === "retried" ? [result.job] : []));
  const [first] = retried;
  if (first !== undefined) {
    const evidence = {
      operation: "retryFailedJobs",
      jobId: first.id,
      jobCount: retried.length,
      isConfirmedBy: (stored: StateJob | undefined): boolean =>
        stored !== undefined && stored.status !== "failed",
    };
    engine.effects.record(context, evidence, (effects) => {
      for (const job of retried) {
        effects.emit("jobRetried", () => toReference(job));
        if (job.status === "pending") effects.jobScheduled(job.typeName);
      }
    });
  }
  return results.map((result, index): RetryFailedJobResult => {
    const id = ids[index] ?? "";
    if (result.kind === "refused") return { id, retried: false, reason: result.reason };
    const { status } = result.job;
    return { id, retried: true, status: status === "blocked" ? "blocked" : "pending" };
  });
};
