import type { ClientBase, Pool, PoolClient, QueryConfig } from "pg";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { assertPool } from "./assert-client.ts";
import { openTransaction, type PgTransaction } from "./pg-transaction.ts";
import { surviveBreaking, surviveIdleClients } from "./survive-idle-clients.ts";

/** Spread it into calls made inside a transaction of `pg`. */
export interface PgTxContext {
  readonly client: ClientBase;
}

/** A client in a transaction, or the pool. */
export interface PgContext {
  readonly client: ClientBase | Pool;
}

export interface PgPoolProviderOptions {
  /**
   * Prepare statements by name on each connection. Leave it off behind a proxy that pools transactions, unless
   * that proxy follows prepared statements.
   */
  readonly preparedStatements?: boolean | undefined;
}

/** The state provider for a `Pool` of `pg`. The pool stays yours: nothing here ends it. */
export const createPgPoolStateProvider = (
  pool: Pool,
  options: PgPoolProviderOptions = {},
): PgStateProvider<PgTxContext, PgContext> => {
  assertPool(pool);
  surviveIdleClients(pool);
  const { preparedStatements = false } = options;
  const toQuery = ({ name, sql, params }: PgStatement): QueryConfig<(string | null)[]> => {
    // The driver does not write to the array, but its type does not say so.
    const values = params as (string | null)[];
    return preparedStatements && name !== undefined
      ? { name, text: sql, values }
      : { text: sql, values };
  };
  return {
    contextKeys: ["client"],
    connectionsMax: pool.options.max,
    provideContext: (callback) => callback({ client: pool }),
    isInTransaction: async ({ client }) => isClient(client) && inTransaction(client),
    executeSql: async (statement, context) => {
      const client = context?.client ?? pool;
      const result = await client.query<PgRow>(toQuery(statement));
      return result.rows;
    },
    executeSqlAndCommit: async (statement, { client }) => {
      const transaction = open.get(client);
      // Whoever has wrapped this provider may begin transactions of another kind.
      if (transaction === undefined) return null;
      return (await transaction.queryAndCommit(toQuery(statement))).rows;
    },
    runInTransaction: async (callback) => runInTransaction(await pool.connect(), callback),
  };
};

export { createPgPoolNotifyProvider, type PgPoolNotifyProviderOptions } from "./pg-notify.ts";

/** Neither the pool, nor what only the compiler would have refused. */
const isClient = (client: ClientBase | Pool | null | undefined): client is ClientBase =>
  typeof client?.query === "function" && !("totalCount" in client);

// Clients in a transaction opened here, whose BEGIN may not have been sent yet.
const open = new WeakMap<ClientBase, PgTransaction>();

/** Known to the driver from version 8.23 on; before that, the server is asked. */
const inTransaction = async (client: ClientBase): Promise<boolean> => {
  if (open.has(client)) return true;
  const status = (
    client as { getTransactionStatus?: () => string | null }
  ).getTransactionStatus?.();
  if (typeof status === "string") return status !== "I";
  // Outside a transaction block both are the moment this statement began.
  const { rows } = await client.query<{ inside: boolean }>(
    "SELECT pg_catalog.now() OPERATOR(pg_catalog.<>) pg_catalog.statement_timestamp() AS inside",
  );
  return rows[0]?.inside === true;
};

const runInTransaction = async <T>(
  client: PoolClient,
  callback: (context: PgTxContext) => Promise<T>,
): Promise<T> => {
  let broken: Error | undefined;
  // A connection that breaks between two statements says so by an event; the next statement then fails.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  surviveBreaking(client);
  const transaction = openTransaction(client);
  open.set(client, transaction);
  try {
    const result = await callback({ client });
    await transaction.commit();
    return result;
  } catch (error) {
    broken ??= await transaction.rollBack();
    throw error;
  } finally {
    open.delete(client);
    client.off("error", onError);
    client.release(broken);
  }
};
