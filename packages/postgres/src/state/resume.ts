import { column, type PgDatabase, type PgState } from "../database.ts";
import { toText } from "../job-row.ts";
import { everyType } from "./pause.ts";

export const resume = (db: PgDatabase): PgState["resume"] => {
  const end = db.routine("resume", { types: "text[]" });
  return async ({ targets }) => {
    if (targets.length === 0) return [];
    const rows = await end({ types: column(targets, ({ typeName }) => typeName ?? everyType) });
    const ended = new Set(rows.map((row) => toText(row["type_name"])));
    return targets.map(({ typeName }) => ended.has(typeName ?? everyType));
  };
};
