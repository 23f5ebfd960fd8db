import type { Sql, TransactionSql } from "postgres";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow, PgStateProvider } from "../state-provider.ts";

/** Spread it into calls made inside a transaction of `postgres`. */
export interface PostgresJsTxContext {
  readonly sql: TransactionSql;
}

/** A transaction, or the pool itself. */
export interface PostgresJsContext {
  readonly sql: Sql | TransactionSql;
}

export interface PostgresJsProviderOptions {
  /**
   * Prepare statements by name on each connection. Leave it off behind a proxy that pools transactions, unless
   * that proxy follows prepared statements.
   */
  readonly preparedStatements?: boolean | undefined;
}

/** The state provider for `postgres` (postgres.js). The client stays yours: nothing here ends it. */
export const createPostgresJsStateProvider = (
  sql: Sql,
  options: PostgresJsProviderOptions = {},
): PgStateProvider<PostgresJsTxContext, PostgresJsContext> => {
  const { preparedStatements = false } = options;
  return {
    connectionsMax: sql.options.max,
    provideContext: (callback) => callback({ sql }),
    // A transaction of this driver is an object of its own, which the driver ends with the transaction.
    isInTransaction: async ({ sql }) => isTransaction(sql) && !ended.has(sql),
    executeSql: async (statement, context) => {
      const params = statement.params as (string | null)[];
      const rows = await (context?.sql ?? sql).unsafe<PgRow[]>(statement.sql, params, {
        prepare: preparedStatements && statement.name !== undefined,
      });
      return rows;
    },
    // No `executeSqlAndCommit`: sent behind a statement with parameters, this driver's COMMIT overtakes it.
    runInTransaction: (callback) => runInTransaction(sql, callback),
  };
};

export {
  createPostgresJsNotifyProvider,
  type PostgresJsNotifyProviderOptions,
} from "./postgres-js-notify.ts";

const ended = new WeakSet<Sql | TransactionSql>();

/** Neither the client itself, nor what only the compiler would have refused. */
const isTransaction = (sql: Sql | TransactionSql | undefined): sql is TransactionSql =>
  typeof sql === "function" && "savepoint" in sql;

const runInTransaction = async <T>(
  sql: Sql,
  callback: (context: PostgresJsTxContext) => Promise<T>,
): Promise<T> => {
  // The driver resolves arrays of promises that a callback answers with; a box keeps the answer as it is.
  let box: { readonly value: T } | undefined;
  try {
    await sql.begin("isolation level read committed", async (tx) => {
      try {
        const value = await callback({ sql: tx });
        await commit(tx);
        box = { value };
      } finally {
        ended.add(tx);
      }
    });
  } catch (error) {
    // Only the driver's own commit, of nothing, can have failed after ours.
    if (box === undefined) throw error;
  }
  // Set unless `begin` has rejected.
  return (box as { readonly value: T }).value;
};

// Not left to the driver, which does not look at how the server answered: a transaction in which a statement has failed is
// rolled back without a word. It also prepares its COMMIT by name; where a proxy has put another connection behind that
// name's, the COMMIT fails, is tried again in the broken transaction, and all is lost while `begin` resolves. What the
// driver then commits is the empty transaction that follows.
const commit = async (tx: TransactionSql): Promise<void> => {
  const { command } = await tx.unsafe("COMMIT AND CHAIN");
  if (command === "ROLLBACK") throw new PgTransactionAbortedError();
};
