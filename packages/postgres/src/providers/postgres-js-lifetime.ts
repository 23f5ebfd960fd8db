// A transaction of this driver is a function that writes to its connection. If the connection is gone, that is an exception
// which no code can catch and which ends the process. If the connection has begun another transaction, the statement becomes
// part of that. So the function that users get refuses statements when its transaction is over.
import type { TransactionSql } from "postgres";

export interface Lifetime {
  /** Why nothing more can be sent. */
  over?: { readonly reason: unknown };
}

const senders: ReadonlySet<string | symbol> = new Set(["unsafe", "file", "notify", "savepoint"]);

export const refuseWhenOver = (tx: TransactionSql, lifetime: Lifetime): TransactionSql => {
  const assertOpen = (): void => {
    if (lifetime.over !== undefined) throw lifetime.over.reason;
  };
  return new Proxy(tx, {
    apply: (target, self, args): unknown => {
      assertOpen();
      return Reflect.apply(target, self, args);
    },
    get: (target, key): unknown => {
      if (senders.has(key)) assertOpen();
      return Reflect.get(target, key);
    },
  });
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A socket says that it has failed in one turn of the event loop, and at the end of it that it is closed. */
export const untilLossIsKnown = async (): Promise<void> => {
  await turn();
  await turn();
};
