// The only caller of the provider: statements by name, arguments as text, rows out.
import { createHash } from "node:crypto";
import type { BaseStateAdapterContext } from "queuert/internal";
import { toArrayLiteral, toSparseArrayLiteral } from "./array-literal.ts";
import { PgInvalidJobIdError } from "./errors.ts";
import { possibleIds } from "./id-types.ts";
import type { PgRow, PgStatement, PgStateProvider } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

/** A prepared call: arguments in the order of their types. */
export type Call<TContext> = (
  params: readonly (string | null)[],
  context?: TContext,
) => Promise<readonly PgRow[]>;

/** A call that commits the transaction of its context, if its provider can; null: it has done nothing. */
export type LastCall<TContext> = (
  params: readonly (string | null)[],
  context: TContext | undefined,
) => Promise<readonly PgRow[] | null>;

export interface Database<TContext> {
  readonly names: StoreNames;
  /** An SQL expression that makes an id, or null: ids are made here. */
  readonly idDefault: string | null;
  /** `SELECT … FROM schema.routine(…)`; `id` in a type stands for the type of ids. */
  routine(name: string, argTypes: readonly string[], columns?: string): Call<TContext>;
  /**
   * The same as the last statement of a transaction, which it commits. `columns` are of its rows `r`; one of them must raise
   * an error for a row that is not to be committed.
   */
  lastRoutine(name: string, argTypes: readonly string[], columns: string): LastCall<TContext>;
  /** Any statement. */
  statement(name: string, sql: string): Call<TContext>;
  /** Ids to look for, as an array argument. What cannot be an id of this store is NULL, which is no job's. */
  ids(ids: readonly (string | null)[]): string;
  /** Ids to store. Refuses what the server would refuse, without breaking the caller's transaction. */
  storableIds(ids: readonly (string | null)[]): string;
  /** The same of one. */
  storableId(id: string | null): string | null;
  /** An id to look for, or null if no job can have it. */
  id(id: string): string | null;
}

export const createDatabase = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
>(
  names: StoreNames,
  provider: PgStateProvider<TTxContext, TContext>,
  idDefault: string | null,
): Database<TTxContext | TContext> => {
  const isPossible = possibleIds(names.idType);
  const possible = (id: string | null): string | null =>
    id !== null && isPossible(id) ? id : null;
  const storable = (id: string | null): string | null => {
    if (id === null || isPossible(id)) return id;
    throw new PgInvalidJobIdError(names.idType);
  };
  const namePrefix = statementNamePrefix(names, idDefault);
  const statement = (name: string, sql: string): Call<TTxContext | TContext> => {
    const fullName = `${namePrefix}_${name}`;
    return (params, context) => provider.executeSql({ name: fullName, sql, params }, context);
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
    routine: (name, argTypes, columns = "*") =>
      statement(
        columns === "*" ? name : `${name}_narrow`,
        routineCallSql(names, name, argTypes, columns),
      ),
    lastRoutine: (name, argTypes, columns) =>
      last({
        name: `${namePrefix}_${name}_and_commit`,
        sql: `SELECT ${columns} FROM ${routineFrom(names, name, argTypes)} r`,
      }),
    id: possible,
    ids: (ids) => toArrayLiteral(ids.map(possible)),
    storableIds: (ids) => toSparseArrayLiteral(ids.map(storable)),
    storableId: storable,
  };
};

// A name is always of one text, and stores in several schemas may share the connections of a pool.
const statementNamePrefix = (
  { schemaName, idType }: StoreNames,
  idDefault: string | null,
): string => {
  if (schemaName === "queuert" && idType === "uuid" && idDefault === null) return "queuert";
  const store = JSON.stringify([schemaName, idType, idDefault]);
  return `queuert_${createHash("sha1").update(store).digest("hex").slice(0, 8)}`;
};

/** Every argument is sent as text and cast by the server: drivers need to know no type. */
export const argument = (names: StoreNames, index: number, type: string): string =>
  `$${index}::text::${type.replace(/^id\b/, names.idType)}`;

const routineCallSql = (
  names: StoreNames,
  name: string,
  argTypes: readonly string[],
  columns: string,
): string => `SELECT ${columns} FROM ${routineFrom(names, name, argTypes)}`;

const routineFrom = (names: StoreNames, name: string, argTypes: readonly string[]): string =>
  `${names.schema}.${name}(${argTypes
    .map((type, index) => argument(names, index + 1, type))
    .join(", ")})`;

/** A column of an array argument: what each element has, or null. */
export const column = <TElement>(
  elements: readonly TElement[],
  pick: (element: TElement) => string | number | boolean | null,
): string => toSparseArrayLiteral(elements.map(pick));

export { toArrayLiteral };

/** PostgreSQL's text cannot hold NUL. Error messages and the like lose it; payloads are JSON, in which it is escaped. */
export const storableText = <TText extends string | null>(text: TText): TText =>
  // The replacement keeps the type: null stays null, a string a string.
  (text?.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text) as TText;
