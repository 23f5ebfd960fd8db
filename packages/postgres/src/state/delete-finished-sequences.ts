import type { PgDatabase, PgState } from "../database.ts";

export const deleteFinishedSequences = (db: PgDatabase): PgState["deleteFinishedSequences"] => {
  const deleteFinished = db.routine("delete_finished_sequences", {
    completed_ms: "float8",
    failed_ms: "float8",
    cancelled_ms: "float8",
    limit: "integer",
  });
  return async ({ completedForMs, failedForMs, cancelledForMs, limit }) => {
    const ages = [completedForMs, failedForMs, cancelledForMs];
    if (limit <= 0 || ages.every((age) => age === null)) return 0;
    const toArg = (ms: number | null): string | null => (ms === null ? null : String(ms));
    const [row] = await deleteFinished({
      completed_ms: toArg(completedForMs),
      failed_ms: toArg(failedForMs),
      cancelled_ms: toArg(cancelledForMs),
      limit: String(limit),
    });
    return Number(row?.["delete_finished_sequences"] ?? 0);
  };
};
