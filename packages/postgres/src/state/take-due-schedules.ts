import type { PgDatabase, PgState } from "../database.ts";
import { splitNow } from "../schedule-row.ts";

export const takeDueSchedules = (db: PgDatabase): PgState["takeDueSchedules"] => {
  const take = db.routine("take_due_schedules", { limit: "integer" });
  return async ({ context, limit }) =>
    splitNow(await take({ limit: String(Math.max(0, limit)) }, context));
};
