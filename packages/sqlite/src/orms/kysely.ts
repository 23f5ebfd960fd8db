// `@queuert/sqlite/kysely`: jobs in the transactions of Kysely over better-sqlite3. Kysely has one connection and a lock around it.
// Every write of Queuert takes that lock, so it waits for the transactions of the application, and they wait for it.
import type BetterSqlite3 from "better-sqlite3";
import type { Kysely, Transaction } from "kysely";
import { assertMethods } from "queuert/internal";
import type { SqliteConnection } from "../connection.ts";
import { SqliteBusyError, SqliteTransactionEndedError } from "../errors.ts";
import { toFileError } from "../named-errors.ts";
import { createBetterSqlite3Provider } from "../providers/better-sqlite3.ts";
import { busyTimeoutMsDefault, type FileSettings } from "../providers/open-file.ts";
import { createWriterGate, whenNotBusy } from "../providers/writer-gate.ts";
import type { SqliteStateProvider } from "../state-provider.ts";

export type { FileSettings } from "../providers/open-file.ts";

/** Spread it into calls inside `db.transaction().execute(async (trx) => …)`, as `{ db: trx }`. */
export interface KyselyTxContext<TTables> {
  readonly db: Transaction<TTables>;
}

/** A transaction, or the database. */
export interface KyselyContext<TTables> {
  /** The instance whose transactions the jobs use. */
  readonly db: Kysely<TTables>;
}

/** The options of `createKyselyStateProvider`. */
export interface KyselyProviderOptions<TTables> extends Omit<FileSettings, "synchronous"> {
  /** The instance whose transactions the jobs use. */
  readonly db: Kysely<TTables>;
  /** The connection that the dialect of `db` has. */
  readonly database: BetterSqlite3.Database;
  /** Your second connection to the same file, for reads. Default: one that the provider opens and closes. */
  readonly reader?: BetterSqlite3.Database | undefined;
}

/** A provider with Kysely in its contexts. */
export type KyselyStateProvider<TTables> = Required<
  SqliteStateProvider<KyselyTxContext<TTables>, KyselyContext<TTables>>
> & {
  /** Waits for the open transaction, and closes the connection for reads that the provider opened. */
  close(): Promise<void>;
};

/**
 * The state provider for Kysely over better-sqlite3.
 *
 * @example
 * ```ts
 * const database = new Database("app.db", { timeout: 0 });
 * database.pragma("journal_mode = WAL");
 * const db = new Kysely<{ users: { email: string } }>({ dialect: new SqliteDialect({ database }) });
 * const stateProvider = await createKyselyStateProvider({ db, database });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createKyselyStateProvider = async <TTables>({
  db,
  ...options
}: KyselyProviderOptions<TTables>): Promise<KyselyStateProvider<TTables>> => {
  const remedy = "give a `Kysely` with a `SqliteDialect` of better-sqlite3";
  assertMethods(db, "db", ["connection", "transaction", "getExecutor"], remedy);
  const { busyTimeoutMs = busyTimeoutMsDefault } = options;
  const inner = await createBetterSqlite3Provider(options);
  const withLock = createLock(busyTimeoutMs);
  const write: KyselyStateProvider<TTables>["write"] = (step) =>
    withLock((holdsLock) =>
      db.connection().execute(async () => {
        holdsLock();
        return inner.write(step);
      }),
    );
  const reader = await inner.read((connection) => connection);
  const writer = await write((connection) => connection);
  /** Own transactions whose callback has ended, and whose COMMIT may be to come. */
  const ended = new WeakSet<object>();
  const { adapter } = db.getExecutor();
  const isOpen = (on: Kysely<TTables>): boolean =>
    isTransaction(on) &&
    !ended.has(on) &&
    on.getExecutor().adapter === adapter &&
    writer.inTransaction &&
    !isEnded(on);

  return {
    contextKeys: ["db"],
    runInTransaction: (callback) =>
      withLock((holdsLock) =>
        db.transaction().execute(async (trx) => {
          holdsLock();
          try {
            await beginImmediate(writer, options.database.name, busyTimeoutMs);
            const result = await callback({ db: trx });
            if (!writer.inTransaction) throw new SqliteTransactionEndedError();
            return result;
          } catch (error) {
            // SQLite or the callback may have ended the transaction. A ROLLBACK of Kysely would fail and hide the reason.
            if (!writer.inTransaction) writer.exec("BEGIN");
            throw error;
          } finally {
            ended.add(trx);
          }
        }),
      ),
    provideContext: (callback) => callback({ db }),
    isInTransaction: ({ db: on }) => isOpen(on),
    connectionOf: ({ db: on }) => {
      if (!isTransaction(on)) return reader;
      if (isOpen(on)) return writer;
      throw new SqliteTransactionEndedError();
    },
    write,
    read: (step) => inner.read(step),
    close: () => inner.close(),
  };
};

/** It may be any value, in calls that no compiler has checked. */
const isTransaction = (
  on: { readonly isTransaction?: unknown; readonly getExecutor?: unknown } | null | undefined,
): boolean => on?.isTransaction === true && typeof on.getExecutor === "function";

/** Kysely throws at once, and the stream that it would return runs no statement before it is read. */
const isEnded = <TTables>(trx: Kysely<TTables>): boolean => {
  try {
    trx.getExecutor().stream(nothing as never, 1);
    return false;
  } catch {
    return true;
  }
};

const nothing = { sql: "", parameters: [], query: {}, queryId: { queryId: "queuert" } };

/** Kysely begins a deferred transaction, which cannot write after another process has written. It is empty here. */
const beginImmediate = async (
  connection: SqliteConnection,
  filename: string,
  busyTimeoutMs: number,
): Promise<void> => {
  connection.exec("COMMIT");
  try {
    await whenNotBusy(() => connection.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
  } catch (error) {
    throw toFileError(error, filename);
  }
};

type WithLock = <T>(body: (holdsLock: () => void) => Promise<T>) => Promise<T>;

/**
 * Calls of Queuert queue here, and the first of them waits for Kysely's lock. If the application holds that for too long, the call
 * is refused: it may be made inside the very transaction that it waits for.
 */
const createLock = (busyTimeoutMs: number): WithLock => {
  const gate = createWriterGate(busyTimeoutMs);
  return async (body) => {
    const release = gate.tryEnter() ?? (await gate.enter());
    let timer: NodeJS.Timeout | undefined;
    let isRefused = false;
    const refused = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isRefused = true;
        reject(new SqliteBusyError("your_transaction", busyTimeoutMs));
      }, busyTimeoutMs);
    });
    const done = body(() => {
      clearTimeout(timer);
      // The lock came too late, and the caller has its error.
      if (isRefused) throw new SqliteBusyError("your_transaction", busyTimeoutMs);
    });
    const over = (): void => {
      clearTimeout(timer);
      release();
    };
    done.then(over, over);
    return Promise.race([done, refused]);
  };
};
