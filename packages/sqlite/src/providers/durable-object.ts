// `@queuert/sqlite/durable-object`: jobs in the SQLite of a Durable Object of Cloudflare. It has one connection, and begins and
// ends transactions itself: BEGIN, COMMIT and SAVEPOINT are refused there.
import { assertMethods } from "queuert/internal";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "../connection.ts";
import { SqliteTransactionEndedError } from "../errors.ts";
import type { SqliteStateProvider } from "../state-provider.ts";
import { busyTimeoutMsDefault } from "./open-file.ts";
import { createWriterGate } from "./writer-gate.ts";

/** The rows of one statement. */
export interface DurableObjectCursor {
  raw(): Iterable<readonly unknown[]>;
}

/** The SQL of a Durable Object, as far as it is used here. */
export interface DurableObjectSql {
  exec(query: string, ...bindings: unknown[]): DurableObjectCursor;
}

/** `ctx.storage` of a Durable Object with SQLite, as far as it is used here. */
export interface DurableObjectStorageLike {
  readonly sql: DurableObjectSql;
  transactionSync<T>(callback: () => T): T;
  transaction<T>(callback: () => Promise<T>): Promise<T>;
}

/** The context of a transaction: its `sql` is that of the object, usable until the transaction ends. */
export interface DurableObjectContext<TSql extends DurableObjectSql = DurableObjectSql> {
  readonly sql: TSql;
}

/** The options of `createDurableObjectStateProvider`. */
export interface DurableObjectProviderOptions {
  /** How long a write waits for the open transaction. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * The state provider for the storage of a Durable Object.
 *
 * @example
 * ```ts
 * class Jobs {
 *   readonly stateProvider: SqliteStateProvider<DurableObjectContext>;
 *   constructor({ storage }: { storage: DurableObjectStorageLike }) {
 *     this.stateProvider = createDurableObjectStateProvider(storage);
 *   }
 * }
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createDurableObjectStateProvider = <TSql extends DurableObjectSql>(
  storage: DurableObjectStorageLike & { readonly sql: TSql },
  { busyTimeoutMs = busyTimeoutMsDefault }: DurableObjectProviderOptions = {},
): Required<SqliteStateProvider<DurableObjectContext<TSql>, DurableObjectContext<TSql>>> => {
  const remedy = "give `ctx.storage` of a Durable Object with SQLite";
  assertMethods(storage, "storage", ["transaction", "transactionSync"], remedy);
  assertMethods(storage.sql, "storage.sql", ["exec"], remedy);
  const gate = createWriterGate(busyTimeoutMs);
  const { sql } = storage;
  let open: TSql | undefined;
  const connection = toConnection(storage, () => open !== undefined);

  const alone = async <T>(body: () => T | Promise<T>): Promise<T> => {
    const release = gate.tryEnter() ?? (await gate.enter());
    try {
      return await body();
    } finally {
      release();
    }
  };

  return {
    contextKeys: ["sql"],
    runInTransaction: (callback) =>
      alone(() =>
        storage.transaction(async () => {
          const lent: TSql = lend(sql, (): boolean => open === lent);
          open = lent;
          try {
            return await callback({ sql: lent });
          } finally {
            open = undefined;
          }
        }),
      ),
    write: (step) => alone(() => storage.transactionSync(() => step(connection))),
    // There is no second connection: a read sees the writes of an open transaction.
    read: async (step) => step(connection),
    provideContext: async (callback) => callback({ sql }),
    isInTransaction: ({ sql: on }) => on !== undefined && on === open,
    connectionOf: ({ sql: on }) => {
      if (on === sql || (on !== undefined && on === open)) return connection;
      throw new SqliteTransactionEndedError();
    },
  };
};

/** A `sql` that is kept would otherwise write into the next transaction. */
const lend = <TSql extends DurableObjectSql>(sql: TSql, isOpen: () => boolean): TSql =>
  new Proxy(sql, {
    get: (target, key) => {
      if (!isOpen()) throw new SqliteTransactionEndedError();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const toConnection = (
  storage: DurableObjectStorageLike,
  isOpen: () => boolean,
): SqliteConnection => {
  const all = (query: string, parameters: readonly SqliteValue[]) =>
    [...storage.sql.exec(query, ...parameters).raw()] as (readonly SqliteValue[])[];
  return {
    prepare: (query): SqliteStatement => ({
      all: (...parameters) => all(query, parameters),
      get: (...parameters) => all(query, parameters)[0],
      run: (...parameters) => {
        all(query, parameters);
        const [row] = all("SELECT changes(), last_insert_rowid()", []);
        const [changes, lastInsertRowid] = row as readonly [number, number];
        return { changes, lastInsertRowid };
      },
    }),
    exec: (query) => void all(query, []),
    atomically: (step) => storage.transactionSync(step),
    get inTransaction() {
      return isOpen();
    },
  };
};
