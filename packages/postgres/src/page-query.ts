// Pages are ordered by ordinal. Conditions that are not asked for are left out of the text, so that the planner
// sees a plain ordered scan: there are few combinations, each its own statement. Running jobs are not in the index of
// ordinals, since they would enter and leave it at once; they are few, come by their leases, and are merged in.
import type { ListJobsParams } from "queuert/internal";
import { argument } from "./database.ts";
import type { StoreNames } from "./store-names.ts";

export interface PageCondition {
  /** SQL with `?` for the argument. */
  readonly sql: string;
  readonly type: string;
  /** Null: not asked for. */
  readonly value: string | null;
}

interface PageQuery {
  /** SELECT … FROM …, with the table of ordinals as `alias`. */
  readonly from: string;
  readonly alias: string;
  readonly order: ListJobsParams<object>["order"];
  readonly limit: number;
  readonly afterOrdinal: number | null;
  readonly conditions: readonly PageCondition[];
}

export const pageQuery = (
  names: StoreNames,
  { from, alias, order, limit, afterOrdinal, conditions }: PageQuery,
): { readonly sql: string; readonly params: readonly string[] } => {
  const params: string[] = [];
  const place = (type: string, value: string): string => argument(names, params.push(value), type);
  const after: PageCondition = {
    sql: `${alias}.ordinal ${order === "asc" ? ">" : "<"} ?`,
    type: "bigint",
    value: afterOrdinal === null ? null : String(afterOrdinal),
  };
  const where = [...conditions, after].flatMap(({ sql, type, value }) =>
    value === null ? [] : [sql.replaceAll("?", place(type, value))],
  );
  const direction = order === "asc" ? "ASC" : "DESC";
  const limitPlace = place("integer", String(limit));
  const end = (of: string): string => `ORDER BY ${of}.ordinal ${direction} LIMIT ${limitPlace}`;
  const half = (isRunning: boolean): string =>
    `(${from} WHERE ${[...where, `${alias}.status ${isRunning ? "=" : "<>"} 'running'`].join(" AND ")} ${end(alias)})`;
  const sql = `SELECT * FROM (${half(false)} UNION ALL ${half(true)}) page ${end("page")}`;
  return { sql, params };
};
