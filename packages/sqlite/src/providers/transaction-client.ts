import { SqliteTransactionEndedError } from "../errors.ts";

/** A client that works as long as its transaction is open. */
export interface TransactionClient<TClient extends object> {
  readonly client: TClient;
  end(): void;
}

/**
 * Lends out the writing connection for one transaction. A client that somebody kept would otherwise go on working,
 * and what it writes would join whichever transaction is open then, and vanish with it.
 */
export const lendClient = <TClient extends object>(
  connection: TClient,
  isOpen: () => boolean,
): TransactionClient<TClient> => {
  let ended = false;
  const client = new Proxy(connection, {
    get: (target, key) => {
      if (ended) throw new SqliteTransactionEndedError();
      const value: unknown = Reflect.get(target, key, target);
      // Native methods refuse any `this` but the connection itself.
      if (typeof value !== "function") return value;
      // Ended by SQLite itself, or by the user: a statement would be a transaction of its own.
      if (!isOpen()) throw new SqliteTransactionEndedError();
      return value.bind(target);
    },
  });
  return {
    client,
    end: () => {
      ended = true;
    },
  };
};
