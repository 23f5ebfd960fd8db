// `@queuert/sqlite/bun`: a file through the SQLite that Bun has inside.
import { assertMethods } from "queuert/internal";
import type { SqliteStatement, SqliteValue } from "../connection.ts";
import { SqliteDriverMissingError } from "../errors.ts";
import { toFileError } from "../named-errors.ts";
import {
  type BunSqliteConstructor,
  type BunSqliteDatabase,
  type BunSqliteStatement,
  loadBunSqlite,
} from "./bun-types.ts";
import { createDriverConnection } from "./driver-connection.ts";
import {
  createFileProvider,
  type DriverConnection,
  type SqliteContext,
  type SqliteFileProvider,
} from "./file-provider.ts";
import {
  assertDriver,
  assertOnDisk,
  assertSettings,
  busyTimeoutMsDefault,
  checkUsersConnection,
  type FileSettings,
  setUpOwnConnection,
} from "./open-file.ts";

export type { SqliteContext, SqliteFileProvider } from "./file-provider.ts";
export type { BunSqliteConstructor, BunSqliteDatabase, BunSqliteStatement } from "./bun-types.ts";
export type { FileSettings, SqliteSynchronous } from "./open-file.ts";

/** The context of a transaction: its `client` is a `bun:sqlite` database, usable until the transaction ends. */
export type BunSqliteContext<TClient extends BunSqliteDatabase = BunSqliteDatabase> =
  SqliteContext<TClient>;

interface OpenOptions<TClient extends BunSqliteDatabase> extends FileSettings {
  /** The file. It is created if it does not exist. */
  readonly filename: string;
  /** `Database` of `bun:sqlite`, for the client to have its type. Default: the running Bun's. */
  readonly driver?: BunSqliteConstructor<TClient> | undefined;
  readonly database?: never;
}

interface AdoptOptions<TClient extends BunSqliteDatabase> extends Omit<
  FileSettings,
  "synchronous"
> {
  /**
   * Your connection, for writes. A statement of your code during an open transaction is part of that transaction.
   * Queuert checks its settings, changes none and never closes it. It opens a second connection for reads.
   */
  readonly database: TClient;
  readonly filename?: never;
}

/** The options of `createBunSqliteProvider`: a file to open, or a connection of yours. */
export type BunSqliteProviderOptions<TClient extends BunSqliteDatabase = BunSqliteDatabase> =
  OpenOptions<TClient> | AdoptOptions<TClient>;

/**
 * Opens a file with the SQLite of Bun.
 *
 * @example
 * ```ts
 * const stateProvider = await createBunSqliteProvider({ filename: "app.db" });
 * // after the workers have stopped
 * await stateProvider.close();
 * ```
 */
export const createBunSqliteProvider = async <
  TClient extends BunSqliteDatabase = BunSqliteDatabase,
>(
  options: BunSqliteProviderOptions<TClient>,
): Promise<SqliteFileProvider<TClient>> => {
  const users = options.database;
  if (users !== undefined) {
    const remedy = "give a `Database` of bun:sqlite";
    assertMethods(users, "database", ["prepare", "exec", "close"], remedy);
  }
  const filename =
    users === undefined ? (options as { filename: string }).filename : users.filename;
  assertOnDisk(filename);
  assertSettings(options);
  const given = (options as Partial<OpenOptions<TClient>>).driver;
  assertDriver(given);
  const busyTimeoutMs = options.busyTimeoutMs ?? busyTimeoutMsDefault;
  const opened: DriverConnection<TClient>[] = [];
  try {
    const Driver = given ?? (await loadDriver<TClient>());
    const writer =
      users === undefined
        ? toConnection(new Driver(filename, { create: true, readwrite: true }), true)
        : toConnection(users, false);
    opened.push(writer);
    await (users === undefined
      ? setUpOwnConnection(writer, options)
      : checkUsersConnection(writer, options));
    const reader = toConnection(new Driver(filename, { readonly: true }), true);
    opened.push(reader);
    // A wait of SQLite would block the event loop.
    reader.connection.exec("PRAGMA busy_timeout = 0");
    return createFileProvider({ filename, writer, reader, busyTimeoutMs });
  } catch (error) {
    for (const connection of opened) connection.close();
    throw toFileError(error, filename);
  }
};

const loadDriver = async <TClient extends BunSqliteDatabase>(): Promise<
  BunSqliteConstructor<TClient>
> => {
  try {
    // TClient is wider than this only when `driver` or `database` says so.
    return (await loadBunSqlite()) as BunSqliteConstructor<TClient>;
  } catch (error) {
    throw new SqliteDriverMissingError("bun:sqlite", { cause: error });
  }
};

const toConnection = <TClient extends BunSqliteDatabase>(
  client: TClient,
  owned: boolean,
): DriverConnection<TClient> =>
  createDriverConnection(client, {
    owned,
    prepare: (sql) => toStatement(client.prepare(sql)),
    isInTransaction: () => client.inTransaction,
  });

const toStatement = (statement: BunSqliteStatement): SqliteStatement => ({
  run: (...parameters) => statement.run(...parameters),
  // Arrays of values, not objects.
  all: (...parameters) => statement.values(...parameters) as readonly (readonly SqliteValue[])[],
  get: (...parameters) => statement.values(...parameters)[0] as readonly SqliteValue[] | undefined,
});
