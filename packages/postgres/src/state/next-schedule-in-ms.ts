import { limits } from "queuert/internal";
import type { PgDatabase, PgState } from "../database.ts";

export const nextScheduleInMs = (db: PgDatabase): PgState["nextScheduleInMs"] => {
  const next = db.routine("next_schedule_in_ms", {});
  return async () => {
    const [row] = await next({});
    const inMs = row?.["next_schedule_in_ms"] ?? null;
    return inMs === null ? null : Math.min(Math.max(Math.ceil(Number(inMs)), 0), limits.timerMsMax);
  };
};
