import type { PgDatabase, PgState } from "./pg-state.ts";

export const deleteFinishedSequences = (db: PgDatabase): PgState["deleteFinishedSequences"] => {
  const sweep = db.routine("delete_finished_sequences", ["float8", "float8", "integer"]);
  return async ({ completedForMs, failedForMs, limit }) => {
    if (limit <= 0 || (completedForMs === null && failedForMs === null)) return 0;
    const toParam = (ms: number | null): string | null => (ms === null ? null : String(ms));
    const [row] = await sweep([toParam(completedForMs), toParam(failedForMs), String(limit)]);
    return Number(row?.["element"] ?? 0);
  };
};
