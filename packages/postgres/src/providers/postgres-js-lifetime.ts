// A transaction of this driver is a function that writes to its connection. If the connection is gone, that is an exception
// which no code can catch and which ends the process. If the connection has begun another transaction, the statement becomes
// part of that. So the function that users get refuses statements when its transaction is over.
import type { Sql, TransactionSql } from "postgres";
import { TransactionEndingError } from "queuert";

export interface Lifetime {
  /** The callback has ended, or the connection is lost. */
  isOver: boolean;
  /** The reason, if the connection is lost. */
  lost?: { readonly reason: unknown };
  /** Of the transaction around a savepoint, or of the connection. */
  readonly outer?: Lifetime;
}

const lifetimes = new WeakMap<object, Lifetime>();

/** The lifetime that is over: of the transaction, or of one around it. Undefined for an open or an unknown transaction. */
export const overOf = (sql: Sql | TransactionSql): Lifetime | undefined =>
  firstOver(lifetimes.get(sql));

const firstOver = (lifetime: Lifetime | undefined): Lifetime | undefined =>
  lifetime === undefined || lifetime.isOver ? lifetime : firstOver(lifetime.outer);

const senders: ReadonlySet<string | symbol> = new Set(["unsafe", "file", "notify", "savepoint"]);

export const refuseWhenOver = (tx: TransactionSql, lifetime: Lifetime): TransactionSql => {
  const assertOpen = (): void => {
    const over = firstOver(lifetime);
    if (over === undefined) return;
    throw over.lost === undefined ? new TransactionEndingError("A statement") : over.lost.reason;
  };
  const savepoint = guardCallback(tx.savepoint, lifetime);
  const guarded = new Proxy(tx, {
    apply: (target, self, args): unknown => {
      assertOpen();
      return Reflect.apply(target, self, args);
    },
    get: (target, key): unknown => {
      if (senders.has(key)) assertOpen();
      return key === "savepoint" ? savepoint : Reflect.get(target, key);
    },
  });
  lifetimes.set(guarded, lifetime);
  return guarded;
};

type Begin = (...args: readonly unknown[]) => Promise<unknown>;

/** The driver's `begin` or `savepoint`, whose last argument is the callback. */
const guardCallback =
  (begin: unknown, outer?: Lifetime): Begin =>
  async (...args) => {
    const callback = args.at(-1);
    // A savepoint of one statement has no callback.
    if (typeof callback !== "function") return (begin as Begin)(...args);
    const lifetime: Lifetime = { isOver: false, ...(outer && { outer }) };
    const guarded = async (tx: TransactionSql): Promise<unknown> => {
      try {
        const result: unknown = callback(refuseWhenOver(tx, lifetime));
        // As the driver does.
        return await (Array.isArray(result) ? Promise.all(result) : result);
      } finally {
        // Before the driver sends COMMIT or ROLLBACK: a statement behind it would be stored by itself.
        lifetime.isOver = true;
      }
    };
    try {
      return await (begin as Begin)(...args.slice(0, -1), guarded);
    } finally {
      // The connection may be lost before the callback ends.
      lifetime.isOver = true;
    }
  };

const begins = new WeakMap<Sql, Sql["begin"]>();

/**
 * Replaces `begin` of the client, so that transactions which users begin refuse statements, too, when they are over. Returns the
 * driver's own `begin`.
 */
export const guardBegin = (sql: Sql): Sql["begin"] => {
  const known = begins.get(sql);
  if (known !== undefined) return known;
  const begin = sql.begin;
  begins.set(sql, begin);
  // Of the same arguments and result, for which TypeScript has no words.
  sql.begin = guardCallback(begin) as unknown as Sql["begin"];
  return begin;
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A socket says that it has failed in one turn of the event loop, and at the end of it that it is closed. */
export const untilLossIsKnown = async (): Promise<void> => {
  await turn();
  await turn();
};
