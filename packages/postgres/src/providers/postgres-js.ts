import type { Sql, TransactionSql } from "postgres";
import { StateNotInTransactionError } from "queuert";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { assertPostgresJs } from "./assert-client.ts";
import { answersOf } from "./postgres-js-answers.ts";
import {
  guardBegin,
  type Lifetime,
  overOf,
  refuseWhenOver,
  untilLossIsKnown,
} from "./postgres-js-lifetime.ts";
import { openTransaction, type PostgresJsTransaction } from "./postgres-js-transaction.ts";

/** Spread it into calls made inside a transaction of `postgres`. */
export interface PostgresJsTxContext {
  readonly sql: TransactionSql;
}

/** A transaction, or the pool itself. */
export interface PostgresJsContext {
  readonly sql: Sql | TransactionSql;
}

/** The options of `createPostgresJsStateProvider`. */
export interface PostgresJsProviderOptions {
  /**
   * Prepare statements on each connection, which halves the server's work for single jobs. Default: the option `prepare` of
   * the client, which postgres.js has on. Behind a proxy that pools transactions, give the client `prepare: false`.
   */
  readonly preparedStatements?: boolean | undefined;
}

/**
 * The state provider for `postgres` (postgres.js). The client stays yours: nothing here ends it.
 *
 * @example
 * ```ts
 * const sql = postgres("postgres://localhost/app", { fetch_types: false });
 * const stateProvider = createPostgresJsStateProvider(sql);
 * ```
 */
export const createPostgresJsStateProvider = (
  sql: Sql,
  options: PostgresJsProviderOptions = {},
): PgStateProvider<PostgresJsTxContext, PostgresJsContext> => {
  assertPostgresJs(sql);
  const { preparedStatements = sql.options.prepare } = options;
  const answers = answersOf(sql);
  const begin = guardBegin(sql);
  const send = (on: Sql | TransactionSql, { name, sql: text, params }: PgStatement) =>
    answers.ask(
      // The driver does not write to the array, but its type does not say so.
      on.unsafe<PgRow[]>(text, params as (string | null)[], {
        prepare: preparedStatements && name !== undefined,
      }),
    );
  return {
    contextKeys: ["sql"],
    connectionsMax: sql.options.max,
    provideContext: (callback) => callback({ sql }),
    isInTransaction: async ({ sql }) => isTransaction(sql) && overOf(sql) === undefined,
    executeSql: async (statement, context) => {
      const over = context?.sql && overOf(context.sql);
      if (over?.lost !== undefined) throw over.lost.reason;
      if (over !== undefined) throw new StateNotInTransactionError("A statement");
      return answers.read(await send(context?.sql ?? sql, statement));
    },
    executeSqlAndCommit: async (statement, { sql }) => {
      const transaction = open.get(sql);
      // A wrapper of this provider may begin transactions of another kind.
      if (transaction === undefined) return null;
      return answers.read(await transaction.sendAndCommit(send(sql, statement)));
    },
    runInTransaction: (callback) => runInTransaction(begin, callback),
  };
};

export {
  createPostgresJsNotifyProvider,
  type PostgresJsNotifyProviderOptions,
} from "./postgres-js-notify.ts";

// Transactions begun here.
const open = new WeakMap<Sql | TransactionSql, PostgresJsTransaction>();

/** Neither the client itself nor another value, in calls that no compiler has checked. */
const isTransaction = (sql: Sql | TransactionSql | undefined): sql is TransactionSql =>
  typeof sql === "function" && "savepoint" in sql;

const runInTransaction = async <T>(
  begin: Sql["begin"],
  callback: (context: PostgresJsTxContext) => Promise<T>,
): Promise<T> => {
  // The driver resolves arrays of promises that a callback answers with; a box keeps the answer as it is.
  let box: { readonly value: T } | undefined;
  const connection: Lifetime = { isOver: false };
  // Our callback has returned or thrown: an earlier rejection of `begin` is the loss of the connection.
  let hasLeft = false;
  try {
    await begin("isolation level read committed", async (tx) => {
      try {
        box = { value: await runAndCommit(tx, connection, callback) };
      } catch (error) {
        // If the connection is gone, the driver rejects at once and would still write its ROLLBACK. That is an exception which
        // no code can catch, or a statement that blocks the next user of the connection forever.
        await untilLossIsKnown();
        if (connection.isOver) await new Promise(() => {});
        throw error;
      } finally {
        hasLeft = true;
      }
    });
  } catch (error) {
    if (!hasLeft) connection.lost = { reason: error };
    connection.isOver = true;
    // Only the driver's own commit, of nothing, can have failed after ours.
    if (box === undefined) throw error;
  }
  // Set unless `begin` has rejected.
  return (box as { readonly value: T }).value;
};

const runAndCommit = async <T>(
  tx: TransactionSql,
  connection: Lifetime,
  callback: (context: PostgresJsTxContext) => Promise<T>,
): Promise<T> => {
  const lifetime: Lifetime = { isOver: false, outer: connection };
  const transaction = openTransaction(refuseWhenOver(tx, connection));
  const sql = refuseWhenOver(tx, lifetime);
  open.set(sql, transaction);
  try {
    const value = await callback({ sql });
    // Before COMMIT or ROLLBACK is sent: a statement behind it would be stored by itself.
    lifetime.isOver = true;
    await transaction.commit();
    return value;
  } finally {
    lifetime.isOver = true;
    open.delete(sql);
  }
};
