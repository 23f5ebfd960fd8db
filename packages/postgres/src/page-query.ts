// Pages are ordered by ordinal. Conditions that are not asked for are left out of the text, so that the planner
// sees a plain ordered scan: there are few combinations, each its own statement.
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
  const sql =
    `${from}${where.length > 0 ? ` WHERE ${where.join(" AND ")}` : ""} ` +
    `ORDER BY ${alias}.ordinal ${order === "asc" ? "ASC" : "DESC"} ` +
    `LIMIT ${place("integer", String(limit))}`;
  return { sql, params };
};
