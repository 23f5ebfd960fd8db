// `@queuert/postgres/bun`: jobs in the transactions of `Bun.SQL`, the client that Bun has inside.
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { createOrmProvider } from "./orm-provider.ts";

/** The part of `Bun.SQL` that runs statements. A transaction has it, too. */
export interface BunSqlStatements {
  unsafe(sql: string, values?: unknown[]): PromiseLike<readonly PgRow[]>;
}

/** A transaction, or a savepoint in it. */
export interface BunSqlTransaction extends BunSqlStatements {
  savepoint(callback: never): unknown;
}

/** A client that `new SQL(…)` makes, as far as it is used here: types of Bun would be types of all your code. */
export interface BunSqlDatabase<TTransaction> extends BunSqlStatements {
  readonly options: { readonly max?: number | undefined };
  begin(options: string, callback: (tx: TTransaction) => Promise<void>): Promise<unknown>;
}

/** Spread it into calls inside `sql.begin(async (tx) => …)`, as `{ sql: tx }`. */
export interface BunSqlTxContext<TTransaction> {
  readonly sql: TTransaction;
}

/** A transaction, or the client. */
export interface BunSqlContext<TDatabase, TTransaction> {
  readonly sql: TDatabase | TTransaction;
}

/**
 * The state provider for `Bun.SQL`. The client stays yours: nothing here ends it.
 *
 * @example
 * ```ts
 * const sql = new SQL("postgres://localhost/app", { max: 10 });
 * const stateProvider = createBunSqlStateProvider(sql);
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createBunSqlStateProvider = <
  TDatabase extends BunSqlStatements,
  TTransaction extends BunSqlTransaction,
>(
  sql: TDatabase & BunSqlDatabase<TTransaction>,
): PgStateProvider<BunSqlTxContext<TTransaction>, BunSqlContext<TDatabase, TTransaction>> => {
  if (!isBunSql(sql) || isTransaction(sql))
    throw new PgInvalidOptionError("sql", "a `SQL` of Bun for PostgreSQL, not a transaction of it");
  return createOrmProvider<"sql", TDatabase, TTransaction>({
    key: "sql",
    database: sql,
    connectionsMax: sql.options.max,
    transaction: async (callback) => {
      // Bun awaits the elements of an array that a callback returns; a box keeps the result as it is.
      const box: { value?: Awaited<ReturnType<typeof callback>> } = {};
      await sql.begin("isolation level read committed", async (tx) => {
        box.value = await callback(tx);
      });
      return box.value as Awaited<ReturnType<typeof callback>>;
    },
    send: (on, { sql: text, params }) =>
      // Without values it is a message of one part, which may have several statements.
      Promise.resolve(on.unsafe(text, ...(params.length === 0 ? [] : [[...params]]))),
    isTransaction: (on): on is TTransaction => isTransaction(on),
    isEndedError: (error) => (error as { code?: unknown }).code === endedCode,
  });
};

const endedCode = "ERR_POSTGRES_INVALID_TRANSACTION_STATE";

const isBunSql = (on: unknown): boolean => hasMethods(on, ["unsafe", "begin", "reserve"]);

const isTransaction = (on: unknown): on is BunSqlTransaction =>
  isBunSql(on) && hasMethods(on, ["savepoint"]);
