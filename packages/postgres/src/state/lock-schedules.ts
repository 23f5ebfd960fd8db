import { type PgDatabase, type PgState, toArrayLiteral } from "../database.ts";
import { splitNow } from "../schedule-row.ts";

export const lockSchedules = (db: PgDatabase): PgState["lockSchedules"] => {
  const lock = db.routine("lock_schedules", { names: "text[]" });
  return async ({ context, names }) => {
    const { now, schedules } = splitNow(await lock({ names: toArrayLiteral(names) }, context));
    const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    return { now, schedules: names.map((name) => byName.get(name)) };
  };
};
