import type { ClientBase, Pool, PoolClient } from "pg";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
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
  surviveIdleClients(pool);
  const { preparedStatements = false } = options;
  return {
    connectionsMax: pool.options.max,
    provideContext: (callback) => callback({ client: pool }),
    isInTransaction: async ({ client }) => isClient(client) && inTransaction(client),
    executeSql: async ({ name, sql, params }: PgStatement, context) => {
      const client = context?.client ?? pool;
      // The driver does not write to the array, but its type does not say so.
      const values = params as (string | null)[];
      const isNamed = preparedStatements && name !== undefined;
      const query = isNamed ? { name, text: sql, values } : { text: sql, values };
      const result = await client.query<PgRow>(query);
      return result.rows;
    },
    runInTransaction: async (callback) => runInTransaction(await pool.connect(), callback),
  };
};

export { createPgPoolNotifyProvider, type PgPoolNotifyProviderOptions } from "./pg-notify.ts";

/** Neither the pool, nor what only the compiler would have refused. */
const isClient = (client: ClientBase | Pool | null | undefined): client is ClientBase =>
  typeof client?.query === "function" && !("totalCount" in client);

// Clients in a transaction begun here, whose BEGIN the server may not have answered yet.
const begun = new WeakSet<ClientBase>();

/** Known to the driver from version 8.23 on; before that, the server is asked. */
const inTransaction = async (client: ClientBase): Promise<boolean> => {
  if (begun.has(client)) return true;
  const status = (
    client as { getTransactionStatus?: () => string | null }
  ).getTransactionStatus?.();
  if (typeof status === "string") return status !== "I";
  // Outside a transaction block both are the moment this statement began.
  const { rows } = await client.query<{ inside: boolean }>(
    "SELECT now() <> statement_timestamp() AS inside",
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
  begun.add(client);
  try {
    const begin = client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    begin.catch(() => {
      // Reported by the statement that follows.
    });
    // Where the driver pipelines it goes out together with the first statement of the callback, and if it fails, so does
    // everything after it.
    if (!isPipelining(client)) await begin;
    const result = await callback({ client });
    await begin;
    const { command } = await client.query("COMMIT");
    if (command === "ROLLBACK") throw new PgTransactionAbortedError();
    return result;
  } catch (error) {
    broken ??= await rollBack(client);
    throw error;
  } finally {
    begun.delete(client);
    client.off("error", onError);
    client.release(broken);
  }
};

/** From version 8.23 on, if the pool was made so. */
const isPipelining = (client: ClientBase): boolean =>
  (client as { pipeline?: boolean }).pipeline === true;

/** Answers the error after which the connection must not be used again. */
const rollBack = async (client: ClientBase): Promise<Error | undefined> => {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};
