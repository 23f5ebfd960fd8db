import type { PgDatabase, PgState } from "../database.ts";

export const deleteScheduleTicks = (db: PgDatabase): PgState["deleteScheduleTicks"] => {
  const remove = db.routine("delete_schedule_ticks", { fired_ms: "float8", limit: "integer" });
  return async ({ firedForMs, limit }) => {
    if (limit <= 0) return 0;
    const [row] = await remove({ fired_ms: String(firedForMs), limit: String(limit) });
    return Number(row?.["delete_schedule_ticks"] ?? 0);
  };
};
