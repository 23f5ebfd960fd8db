import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { assertMethods, InvalidOptionError } from "queuert/internal";
import type { SqliteStatement, SqliteValue } from "../connection.ts";
import { SqliteDriverMissingError } from "../errors.ts";
import { createDriverConnection } from "./driver-connection.ts";
import {
  createFileProvider,
  type DriverConnection,
  type SqliteContext,
  type SqliteFileProvider,
} from "./file-provider.ts";
import { filenameOf, toFileError } from "../named-errors.ts";
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
export type { FileSettings, SqliteSynchronous } from "./open-file.ts";

/** The context of a transaction: its `client` is a `better-sqlite3` database, usable until the transaction ends. */
export type BetterSqlite3Context = SqliteContext<BetterSqlite3.Database>;

type Constructor = new (
  filename: string,
  options?: BetterSqlite3.Options,
) => BetterSqlite3.Database;

interface OpenOptions extends FileSettings {
  /** The file. It is created if it does not exist. */
  readonly filename: string;
  /** Throws when the file does not exist. */
  readonly mustExist?: boolean | undefined;
  /** The constructor to open it with, for forks and aliases of the package. Default: that of `better-sqlite3`. */
  readonly driver?: Constructor | undefined;
  readonly database?: never;
}

interface AdoptOptions extends Omit<FileSettings, "synchronous"> {
  /**
   * Your connection, for writes. A statement of your code during an open transaction is part of that transaction.
   * Queuert checks its settings, changes none and never closes it. It opens a second connection for reads.
   */
  readonly database: BetterSqlite3.Database;
  /** Your second connection to the same file, for reads. It is needed for a file with a key. */
  readonly reader?: BetterSqlite3.Database | undefined;
  readonly filename?: never;
}

/** The options of `createBetterSqlite3Provider`: a file to open, or connections of yours. */
export type BetterSqlite3ProviderOptions = OpenOptions | AdoptOptions;

const connectionMethods = ["prepare", "exec", "pragma"];

/**
 * Opens a file with `better-sqlite3`: 12 on Node 20, 12 or 13 on newer.
 *
 * @example
 * ```ts
 * const stateProvider = await createBetterSqlite3Provider({ filename: "app.db" });
 * // after the workers have stopped
 * await stateProvider.close();
 * ```
 */
export const createBetterSqlite3Provider = async (
  options: BetterSqlite3ProviderOptions,
): Promise<SqliteFileProvider<BetterSqlite3.Database>> => {
  const { database } = options;
  if (database !== undefined) {
    const remedy = "give a `Database` of better-sqlite3";
    assertMethods(database, "database", connectionMethods, remedy);
  }
  const filename = database === undefined ? options.filename : database.name;
  assertOnDisk(filename);
  assertSettings(options);
  assertDriver("driver" in options ? options.driver : undefined);
  const busyTimeoutMs = options.busyTimeoutMs ?? busyTimeoutMsDefault;
  const opened: DriverConnection<BetterSqlite3.Database>[] = [];
  try {
    const { writer, reader } =
      options.database === undefined ? await open(options, opened) : await adopt(options, opened);
    return createFileProvider({ filename, writer, reader, busyTimeoutMs });
  } catch (error) {
    for (const connection of opened) connection.close();
    throw toFileError(error, filename);
  }
};

type Connections = Record<"writer" | "reader", DriverConnection<BetterSqlite3.Database>>;

// `opened` collects connections to close if a later step fails.
const open = async (
  options: OpenOptions,
  opened: DriverConnection<BetterSqlite3.Database>[],
): Promise<Connections> => {
  const Driver = options.driver ?? (await loadDriver());
  const { filename, mustExist = false } = options;
  const writer = toConnection(new Driver(filename, { fileMustExist: mustExist, timeout: 0 }), true);
  opened.push(writer);
  await setUpOwnConnection(writer, options);
  const reader = toConnection(new Driver(filename, { readonly: true, timeout: 0 }), true);
  opened.push(reader);
  return { writer, reader };
};

const loadDriver = async (): Promise<Constructor> => {
  assertRunsHere("better-sqlite3");
  try {
    return (await import("better-sqlite3")).default;
  } catch (error) {
    throw new SqliteDriverMissingError("better-sqlite3", { cause: error });
  }
};

/**
 * Version 13 ends a process of Node 20 without a message when it opens a file. So its version is read before.
 *
 * @example
 * ```ts
 * assertRunsHere("better-sqlite3"); // throws before version 13 ends a process of Node 20
 * ```
 */
export const assertRunsHere = (driver: string): void => {
  if (!process.versions.node.startsWith("20.")) return;
  let version: string;
  try {
    ({ version } = createRequire(import.meta.url)(`${driver}/package.json`) as { version: string });
  } catch {
    // Not installed, which the import reports.
    return;
  }
  if (Number.parseInt(version, 10) < 13) return;
  const cause = new Error(`better-sqlite3 ${version} does not run on Node 20.`);
  throw new SqliteDriverMissingError("better-sqlite3", { cause });
};

const adopt = async (
  options: AdoptOptions,
  opened: DriverConnection<BetterSqlite3.Database>[],
): Promise<Connections> => {
  const { database } = options;
  const writer = toConnection(database, false);
  await checkUsersConnection(writer, options);
  if (options.reader !== undefined) return { writer, reader: adoptReader(writer, options.reader) };
  // The package, fork or alias that opened the first connection. Its types do not declare the constructor.
  const Driver = database.constructor as Constructor;
  const reader = toConnection(new Driver(database.name, { readonly: true, timeout: 0 }), true);
  opened.push(reader);
  return { writer, reader };
};

const adoptReader = (
  writer: Connections["writer"],
  database: BetterSqlite3.Database,
): Connections["reader"] => {
  const remedy = "give a second connection to the same file";
  assertMethods(database, "reader", connectionMethods, remedy);
  const reader = toConnection(database, false);
  const isSecond = database !== writer.client;
  if (!isSecond || filenameOf(reader.connection) !== filenameOf(writer.connection)) {
    throw new InvalidOptionError("reader", database, remedy);
  }
  return reader;
};

const toConnection = (
  client: BetterSqlite3.Database,
  owned: boolean,
): DriverConnection<BetterSqlite3.Database> =>
  createDriverConnection(client, {
    owned,
    prepare: (sql) => toStatement(client.prepare(sql)),
    isInTransaction: () => client.inTransaction,
  });

const toStatement = (statement: BetterSqlite3.Statement): SqliteStatement => {
  if (!statement.reader) {
    return {
      // The function of the driver, because it is called for every written row.
      run: statement.run.bind(statement),
      all: () => [],
      get: () => undefined,
    };
  }
  // Arrays take half of the time of objects. These statements ignore the setting of the connection for integers.
  statement.raw(true).safeIntegers(false);
  return {
    run: (...parameters) => ({ changes: statement.all(...parameters).length, lastInsertRowid: 0 }),
    // To the types of the driver, rows are unknown. With `raw` they are arrays of values.
    all: (...parameters) => statement.all(...parameters) as readonly (readonly SqliteValue[])[],
    get: (...parameters) => statement.get(...parameters) as readonly SqliteValue[] | undefined,
  };
};
