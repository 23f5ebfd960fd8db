import { type PgDatabase, type PgState, toArrayLiteral } from "../database.ts";

export const deleteSchedules = (db: PgDatabase): PgState["deleteSchedules"] => {
  const remove = db.routine("delete_schedules", { names: "text[]" });
  return async ({ context, names }) => {
    if (names.length === 0) return [];
    const rows = await remove({ names: toArrayLiteral(names) }, context);
    const existed = new Set(rows.map((row) => row["delete_schedules"]));
    return names.map((name) => existed.delete(name));
  };
};
