import { column, type PgDatabase, type PgState } from "../database.ts";
import { toText } from "../job-row.ts";

export const deleteLimits = (db: PgDatabase): PgState["deleteLimits"] => {
  const remove = db.routine("delete_limits", { names: "text[]" });
  return async ({ names }) => {
    if (names.length === 0) return [];
    const rows = await remove({ names: column(names, (name) => name) });
    const deleted = new Set(rows.map((row) => toText(row["name"])));
    // A name that is given twice was deleted once.
    return names.map((name) => deleted.delete(name));
  };
};
