import { column, type PgDatabase, type PgState } from "../database.ts";

export const writeSchedules = (db: PgDatabase): PgState["writeSchedules"] => {
  const write = db.routine("write_schedules", {
    names: "text[]",
    look_at: "timestamptz[]",
    declared: "boolean[]",
    definitions: "text[]",
    new: "boolean[]",
  });
  return async ({ context, schedules }) => {
    if (schedules.length === 0) return [];
    const rows = await write(
      {
        names: column(schedules, ({ schedule }) => schedule.name),
        look_at: column(schedules, ({ schedule }) => schedule.lookAt?.toISOString() ?? null),
        declared: column(schedules, ({ schedule }) => schedule.isDeclared),
        definitions: column(schedules, ({ schedule }) => schedule.definition),
        new: column(schedules, ({ isNew }) => isNew),
      },
      context,
    );
    const written = new Set(rows.map((row) => row["write_schedules"]));
    return schedules.map(({ schedule }) => written.has(schedule.name));
  };
};
