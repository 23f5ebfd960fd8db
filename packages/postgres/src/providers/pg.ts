import type { ClientBase, Pool } from "pg";
import type { PgStateProvider } from "../state-provider.ts";
import { assertPool } from "./assert-client.ts";
import { createPlainProvider, type ToQuery } from "./pg-plain.ts";
import { surviveIdleClients } from "./pg-client.ts";
import { preparesStatements } from "./prepares-statements.ts";
import { commitWith, openTransaction } from "./single-exchange-transaction.ts";

/** Spread it into calls made inside a transaction of `pg`. */
export interface PgTxContext {
  readonly client: ClientBase;
}

/** A client in a transaction, or the pool. */
export interface PgContext {
  readonly client: ClientBase | Pool;
}

/** The options of `createPgPoolStateProvider`. */
export interface PgPoolProviderOptions {
  /**
   * Prepare statements by name on each connection, which halves the server's work for single jobs. Behind a proxy that pools
   * transactions, `true` needs a proxy that follows prepared statements. Default: true if the server itself is at the other end.
   */
  readonly preparedStatements?: boolean | undefined;
  /**
   * Send BEGIN together with the first statement of a transaction, and COMMIT together with a completion: a round trip
   * less for each. Default: true.
   */
  readonly singleExchange?: boolean | undefined;
}

/**
 * The state provider for a `Pool` of `pg`. The pool stays yours: the provider never ends it.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
 * const stateProvider = createPgPoolStateProvider(pool);
 * ```
 */
export const createPgPoolStateProvider = (
  pool: Pool,
  { preparedStatements, singleExchange = true }: PgPoolProviderOptions = {},
): PgStateProvider<PgTxContext, PgContext> => {
  assertPool(pool);
  surviveIdleClients(pool);
  const prepares = preparesStatements(pool, preparedStatements);
  const toQuery: ToQuery = ({ name, sql, params }) => {
    // The driver does not write to the array, but its type does not say so.
    const values = params as (string | null)[];
    return name !== undefined && prepares() ? { name, text: sql, values } : { text: sql, values };
  };
  if (!singleExchange) return createPlainProvider(pool, toQuery);
  return {
    ...createPlainProvider(pool, toQuery, openTransaction),
    executeSqlAndCommit: commitWith(toQuery),
  };
};

export { createPgPoolNotifyProvider, type PgPoolNotifyProviderOptions } from "./pg-notify.ts";
