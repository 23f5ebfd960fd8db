// How routines are written. Each contract method that needs more than one statement is a PL/pgSQL function:
// one round trip, statements planned once per connection without prepared statements (so that a
// transaction-pooling proxy may stand between), and, since the functions are VOLATILE, a fresh snapshot for each of
// their statements under READ COMMITTED, which is what lets two transactions that wait for each other's locks
// see each other's writes.
import { jobColumns, jobSelection } from "../job-row.ts";
import type { StoreNames } from "../store-names.ts";

export interface Routine {
  readonly name: string;
  /** Argument list, as in CREATE FUNCTION. */
  readonly args: string;
  readonly returns: string;
  readonly body: string;
  /** Takes only rows that nobody holds, in an order of its own. */
  readonly skipsLockedRows?: true;
  /** There are no joins that could be made in another order. Each setting costs a call three microseconds. */
  readonly joinsTables?: false;
}

// The statements are written for ordered index probes. Stale statistics must not talk the planner into reading the whole
// table, and plans with a join order other than that of the locks would lock in another order.
const plannerSettings = [
  "enable_seqscan = off",
  "enable_bitmapscan = off",
  "plan_cache_mode = force_generic_plan",
];
const joinSettings = ["enable_hashjoin = off", "enable_mergejoin = off", "jit = off"];

// SKIP LOCKED can wait all the same: for whoever updates a row that its holder has let go just before, since the server
// then locks the later versions of the row without skipping. With rows in hand that were locked in another order than by
// id, that is a deadlock. So we give way, well before the server looks for one (after a second) and takes any of the two.
const givingWay = "lock_timeout = '500ms'";

export const createRoutineSql = (
  names: StoreNames,
  { name, args, returns, body, skipsLockedRows, joinsTables }: Routine,
): string => {
  const settings = [
    ...plannerSettings,
    ...(joinsTables === false ? [] : joinSettings),
    ...(skipsLockedRows ? [givingWay] : []),
  ];
  // A schema may have any name.
  let quote = "$queuert$";
  while (body.includes(quote)) quote = `${quote.slice(0, -1)}_$`;
  return (
    `CREATE FUNCTION ${names.schema}.${name}(${args}) RETURNS ${returns}\n` +
    `LANGUAGE plpgsql VOLATILE\n${settings.map((setting) => `SET ${setting}\n`).join("")}` +
    `AS ${quote}${body}${quote}`
  );
};

interface TypeColumn {
  readonly name: string;
  readonly type: string;
}

/** What a row of `job_result` is, which element of the arguments it answers, and what goes with it; a job follows. */
export const resultColumns: readonly TypeColumn[] = [
  { name: "kind", type: "text" },
  { name: "element", type: "integer" },
  { name: "detail", type: "text" },
  ...jobColumns,
];

/** The type of a routine's rows. */
export const resultTypeSql = (
  { schema, idType }: StoreNames,
  name: string,
  columns: readonly TypeColumn[],
): string =>
  `CREATE TYPE ${schema}.${name} AS (\n` +
  `${columns.map((column) => `  ${column.name} ${column.type === "id" ? idType : column.type}`).join(",\n")}\n)`;

/**
 * The select list of a `job_result`: what the row is, which element of the arguments it answers, anything that goes
 * with it, and the job. Kind, element and detail are SQL expressions.
 */
export const jobResult = (kind: string, element: string, detail: string, alias: string): string =>
  `${kind}, (${element})::integer, (${detail})::text, ${jobSelection(alias)}`;

/** The same with only the named columns filled, by SQL expressions. */
export const sparseResult = (
  { idType }: StoreNames,
  kind: string,
  element: string,
  detail: string,
  filled: Readonly<Record<string, string>> = {},
): string =>
  `${kind}, (${element})::integer, (${detail})::text, ${jobColumns
    .map(({ name, type }) => `(${filled[name] ?? "NULL"})::${type === "id" ? idType : type}`)
    .join(", ")}`;
