import { type PgDatabase, type PgState, toArrayLiteral } from "../database.ts";
import { toStateSchedule } from "../schedule-row.ts";

export const listSchedules = (db: PgDatabase): PgState["listSchedules"] => {
  const list = db.routine("list_schedules", {
    names: "text[]",
    declared: "boolean",
    after_name: "text",
    limit: "integer",
  });
  return async ({ context, names, isDeclared, afterName, limit }) => {
    if (limit <= 0) return [];
    const rows = await list(
      {
        names: names && toArrayLiteral(names),
        declared: isDeclared === null ? null : String(isDeclared),
        after_name: afterName,
        limit: String(limit),
      },
      context,
    );
    return rows.map(toStateSchedule);
  };
};
