// The only caller of the provider: statements by name, arguments as text, rows out.
import { createHash } from "node:crypto";
import type { BaseStateAdapterContext, StateAdapter } from "queuert/internal";
import { PgInvalidJobIdError } from "./errors.ts";
import { possibleIds } from "./id-types.ts";
import { jobSelection } from "./job-row.ts";
import { runLimited } from "./limited-statement.ts";
import type { PgRow, PgStatement, PgStateProvider } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

type Params = readonly (string | null)[];

/** A statement with its parameters in order. Without a context, the server ends it after `timeoutMs`. */
export type Call<TContext> = (
  params: Params,
  context?: TContext,
  timeoutMs?: number,
) => Promise<readonly PgRow[]>;

/** A statement with its arguments by name. */
type NamedCall<TTypes extends ArgTypes, TContext> = (
  args: Args<TTypes>,
  context?: TContext,
  timeoutMs?: number,
) => Promise<readonly PgRow[]>;

/** Also commits the transaction of its context, if the provider can; null: nothing was done. */
export type LastCall<TContext> = (
  params: Params,
  context: TContext | undefined,
) => Promise<readonly PgRow[] | null>;

/** SQL types of a routine's arguments by name; `id` is the type of ids. Without the `p_` of the routine's text. */
type ArgTypes = Readonly<Record<string, string>>;
type Args<TTypes extends ArgTypes> = Readonly<Record<keyof TTypes, string | null>>;

/** A call in which some arguments are expressions of the sent values. */
interface RoutineVariant {
  /** Of the statement. */
  readonly name: string;
  readonly toSql: Readonly<Record<string, (argument: string) => string>>;
}

export interface Database<TContext> {
  readonly names: StoreNames;
  /** An SQL expression that makes an id, or null: the library makes them. */
  readonly idDefault: string | null;
  /** `SELECT * FROM schema.routine(…)`, with arguments by name. */
  routine<TTypes extends ArgTypes>(
    name: string,
    argTypes: TTypes,
    variant?: RoutineVariant,
  ): NamedCall<TTypes, TContext>;
  /** The same for a routine that returns a row of the table of jobs and its lease, for `rowToStateJob`. */
  jobRoutine<TTypes extends ArgTypes>(
    name: string,
    argTypes: TTypes,
    otherColumns?: readonly string[],
  ): NamedCall<TTypes, TContext>;
  /** The same as the last statement of a transaction, which it commits. It must raise an error if nothing is to be committed. */
  lastRoutine<TTypes extends ArgTypes>(
    name: string,
    argTypes: TTypes,
  ): (args: Args<TTypes>, context: TContext | undefined) => Promise<readonly PgRow[] | null>;
  /** Any statement. Its text must not depend on the `search_path`. */
  statement(name: string, sql: string): Call<TContext>;
  /** Ids to look up, as an array argument. A text that cannot be an id of this store becomes NULL, which no job has. */
  ids(ids: readonly (string | null)[]): string;
  /** Ids to store. Refuses an id that the server would refuse, without breaking the caller's transaction. */
  storableIds(ids: readonly (string | null)[]): string;
  /** The same for one id. */
  storableId(id: string | null): string | null;
  /** An id to look up, or null if no job can have it. */
  id(id: string): string | null;
}

/** The contract with the types of contexts and ids left out: they are put back where the adapter is assembled. */
export type PgState = StateAdapter<BaseStateAdapterContext, BaseStateAdapterContext, string>;

export type PgDatabase = Database<BaseStateAdapterContext>;

export const createDatabase = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
>(
  names: StoreNames,
  provider: PgStateProvider<TTxContext, TContext>,
  idDefault: string | null,
): Database<TTxContext | TContext> => {
  const isPossible = possibleIds(names.idTypeName);
  const possible = (id: string | null): string | null =>
    id !== null && isPossible(id) ? id : null;
  const storable = (id: string | null): string | null => {
    if (id === null || isPossible(id)) return id;
    throw new PgInvalidJobIdError(names.idTypeName);
  };
  const namePrefix = statementNamePrefix(names, idDefault);
  const statement = (name: string, sql: string): Call<TTxContext | TContext> => {
    const fullName = `${namePrefix}_${name}`;
    const isWrite = !readings.has(name);
    return (params, context, timeoutMs) => {
      const statement = { name: fullName, sql, params, isWrite };
      return timeoutMs === undefined || context !== undefined
        ? provider.executeSql(statement, context)
        : runLimited(provider, statement, timeoutMs);
    };
  };
  const last =
    (statement: Omit<PgStatement, "params">): LastCall<TTxContext | TContext> =>
    async (params, context) => {
      if (context === undefined || provider.executeSqlAndCommit === undefined) return null;
      // A transaction's context, or there would be nothing to commit.
      return provider.executeSqlAndCommit({ ...statement, params }, context as TTxContext);
    };
  return {
    names,
    idDefault,
    statement,
    routine: (name, argTypes, variant) => {
      const sql = `SELECT * FROM ${routineSql(names, name, argTypes, variant)}`;
      const call = statement(variant?.name ?? name, sql);
      const keys = Object.keys(argTypes);
      return (args, context, timeoutMs) => call(inOrder(keys, args), context, timeoutMs);
    },
    jobRoutine: (name, argTypes, otherColumns = []) => {
      const columns = [jobSelection("(c.job)", "c"), ...otherColumns.map((other) => `c.${other}`)];
      const sql = `SELECT ${columns.join(", ")} FROM ${routineSql(names, name, argTypes)} c`;
      const call = statement(name, sql);
      const keys = Object.keys(argTypes);
      return (args, context, timeoutMs) => call(inOrder(keys, args), context, timeoutMs);
    },
    lastRoutine: (name, argTypes) => {
      const sql = `SELECT * FROM ${routineSql(names, name, argTypes)}`;
      const call = last({ name: `${namePrefix}_${name}`, sql });
      const keys = Object.keys(argTypes);
      return (args, context) => call(inOrder(keys, args), context);
    },
    id: possible,
    ids: (ids) => toArrayLiteral(ids.map(possible)),
    storableIds: (ids) => toSparseArrayLiteral(ids.map(storable)),
    storableId: storable,
  };
};

// The statements that write and lock nothing.
const readings: ReadonlySet<string> = new Set([
  "check_health",
  "count_ahead",
  "count_jobs",
  "find_keys",
  "examine_jobs",
  "find_ids",
  "find_locks",
  "get_blockers",
  "get_jobs",
  "get_limits",
  "get_pauses",
  "get_sequences",
  "get_store_id",
  "list_actions",
  "list_logs",
  "list_progress",
  "list_attempts",
  "list_blocker_edges",
  "list_dependants",
  "list_jobs",
  "list_metrics",
  "list_schedule_ticks",
  "list_schedules",
  "list_sequences",
  "list_workers",
  "read_clock",
  "next_schedule_in_ms",
  "summarize",
]);

const inOrder = (
  keys: readonly string[],
  args: Readonly<Record<string, string | null>>,
): (string | null)[] => keys.map((key) => args[key] ?? null);

// A name always has one text, and stores in several schemas may share the connections of a pool.
const statementNamePrefix = (
  { schemaName, idTypeName }: StoreNames,
  idDefault: string | null,
): string => {
  if (schemaName === "queuert" && idTypeName === "uuid" && idDefault === null) return "queuert";
  const store = JSON.stringify([schemaName, idTypeName, idDefault]);
  return `queuert_${createHash("sha1").update(store).digest("hex").slice(0, 8)}`;
};

// Words of the grammar, which no schema on the path can redefine, and the names of `pg_catalog` for the others.
const sqlTypes: Readonly<Record<string, string>> = {
  text: "pg_catalog.text",
  float8: "double precision",
  timestamptz: "timestamp with time zone",
};

/** Every argument is sent as text and cast by the server: drivers need to know no type. */
export const argument = (names: StoreNames, index: number, type: string): string => {
  const element = type.replace(/\[\]$/, "");
  const sqlType = element === "id" ? names.idType : (sqlTypes[element] ?? element);
  return `$${index}::pg_catalog.text::${sqlType}${type.slice(element.length)}`;
};

const routineSql = (
  names: StoreNames,
  name: string,
  argTypes: ArgTypes,
  variant?: RoutineVariant,
): string => {
  const args = Object.entries(argTypes).map(([key, type], index) => {
    const sent = argument(names, index + 1, type);
    return `p_${key} => ${variant?.toSql[key]?.(sent) ?? sent}`;
  });
  return `${names.schema}.${name}(${args.join(", ")})`;
};

type Element = string | number | boolean | null;

/**
 * `["a", null]` → `{"a",NULL}`. Arrays are sent as text, in PostgreSQL's own notation, and are cast on the server. Drivers and
 * query builders treat JavaScript arrays differently; all treat a string alike.
 */
export const toArrayLiteral = (elements: readonly Element[]): string => {
  let text = "{";
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) text += ",";
    text += toElement(elements[index] ?? null);
  }
  return `${text}}`;
};

/**
 * The same for a column of which most calls use nothing: `{}` if every element is null. `unnest` pads the shorter of its
 * arguments with NULL, so the column need not be sent.
 */
const toSparseArrayLiteral = (elements: readonly Element[]): string =>
  elements.every((element) => element === null) ? "{}" : toArrayLiteral(elements);

const toElement = (element: Element): string => {
  if (element === null) return "NULL";
  if (typeof element !== "string") return String(element);
  if (element.includes("\\")) return `"${element.replace(escaped, "\\$&")}"`;
  // Payloads are full of quotes and hardly ever have anything else: twice as fast as the expression.
  return `"${element.replaceAll('"', '\\"')}"`;
};

const escaped = /["\\]/g;

/** A column of an array argument: the value of each element, or null. */
export const column = <TElement>(
  elements: readonly TElement[],
  pick: (element: TElement) => string | number | boolean | null,
): string => toSparseArrayLiteral(elements.map(pick));

/** PostgreSQL's text cannot hold NUL. Error messages and the like lose it; payloads are JSON, in which it is escaped. */
export const storableText = <TText extends string | null>(text: TText): TText =>
  // The replacement keeps the type: null stays null, a string a string.
  (text?.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text) as TText;
