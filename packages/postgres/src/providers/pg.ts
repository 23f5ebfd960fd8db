import type { ClientBase, Pool } from "pg";
import type { PgStateProvider } from "../state-provider.ts";
import { assertPool } from "./assert-client.ts";
import { createPlainProvider, type ToQuery } from "./pg-plain.ts";
import { withSingleExchange } from "./single-exchange-transaction.ts";
import { surviveIdleClients } from "./pg-lent-client.ts";

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
   * that proxy follows prepared statements. Default: false.
   */
  readonly preparedStatements?: boolean | undefined;
  /**
   * Send BEGIN together with the first statement of a transaction, and COMMIT together with a completion: a round trip
   * less for each. It replaces `client.query` until BEGIN is answered; switch it off if another library does the same.
   * Default: true.
   */
  readonly singleExchange?: boolean | undefined;
}

/** The state provider for a `Pool` of `pg`. The pool stays yours: the provider never ends it. */
export const createPgPoolStateProvider = (
  pool: Pool,
  { preparedStatements = false, singleExchange = true }: PgPoolProviderOptions = {},
): PgStateProvider<PgTxContext, PgContext> => {
  assertPool(pool);
  surviveIdleClients(pool);
  const toQuery: ToQuery = ({ name, sql, params }) => {
    // The driver does not write to the array, but its type does not say so.
    const values = params as (string | null)[];
    return preparedStatements && name !== undefined
      ? { name, text: sql, values }
      : { text: sql, values };
  };
  const plain = createPlainProvider(pool, toQuery);
  return singleExchange ? withSingleExchange(plain, pool, toQuery) : plain;
};

export { createPgPoolNotifyProvider, type PgPoolNotifyProviderOptions } from "./pg-notify.ts";
