import { toText } from "../job-row.ts";
import type { PgDatabase } from "./pg-state.ts";

/** So many new ids: made here, or by the server where the store has an `idDefault`. */
export const idMaker = (
  db: PgDatabase,
  generateId: () => string,
): ((count: number, context?: object) => Promise<readonly string[]>) => {
  if (db.idDefault === null) return async (count) => Array.from({ length: count }, generateId);
  const make = db.statement(
    "make_ids",
    `SELECT (${db.idDefault})::text AS id FROM generate_series(1, $1::text::integer)`,
  );
  return async (count, context) => {
    const rows = count === 0 ? [] : await make([String(count)], context);
    return rows.map((row) => toText(row["id"]));
  };
};
