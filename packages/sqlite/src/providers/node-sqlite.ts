import { assertMethods, hasMethods } from "queuert/internal";
import type { SqliteStatement, SqliteValue } from "../connection.ts";
import { SqliteDriverMissingError } from "../errors.ts";
import { createDriverConnection } from "./driver-connection.ts";
import {
  createFileProvider,
  type DriverConnection,
  type SqliteContext,
  type SqliteFileProvider,
} from "./file-provider.ts";
import {
  loadNodeSqlite,
  type NodeSqliteConstructor,
  type NodeSqliteDatabase,
  type NodeSqliteStatement,
} from "./node-sqlite-types.ts";
import { toFileError } from "../named-errors.ts";
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
export type {
  NodeSqliteConstructor,
  NodeSqliteDatabase,
  NodeSqliteStatement,
} from "./node-sqlite-types.ts";
export type { FileSettings, SqliteSynchronous } from "./open-file.ts";

/** The context of a transaction: its `client` is a `node:sqlite` database, usable until the transaction ends. */
export type NodeSqliteContext<TClient extends NodeSqliteDatabase = NodeSqliteDatabase> =
  SqliteContext<TClient>;

interface OpenOptions<TClient extends NodeSqliteDatabase> extends FileSettings {
  /** The file. It is created if it does not exist. */
  readonly filename: string;
  /** `DatabaseSync` of `node:sqlite`, for the client to have its type. Default: the running Node's. */
  readonly driver?: NodeSqliteConstructor<TClient> | undefined;
  readonly database?: never;
}

interface AdoptOptions<TClient extends NodeSqliteDatabase> extends Omit<
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

/** The options of `createNodeSqliteProvider`: a file to open, or connections of yours. */
export type NodeSqliteProviderOptions<TClient extends NodeSqliteDatabase = NodeSqliteDatabase> =
  OpenOptions<TClient> | AdoptOptions<TClient>;

/**
 * Opens a file with the SQLite of Node 22.16 and newer.
 *
 * @example
 * ```ts
 * const stateProvider = await createNodeSqliteProvider({ filename: "app.db" });
 * // after the workers have stopped
 * await stateProvider.close();
 * ```
 */
export const createNodeSqliteProvider = async <
  TClient extends NodeSqliteDatabase = NodeSqliteDatabase,
>(
  options: NodeSqliteProviderOptions<TClient>,
): Promise<SqliteFileProvider<TClient>> => {
  if (isAdopting(options)) {
    const remedy = "give a `DatabaseSync` of node:sqlite, of Node 22.16 or newer";
    assertMethods(options.database, "database", ["prepare", "exec", "location"], remedy);
  }
  // A database in memory has no location.
  const filename = isAdopting(options) ? (options.database.location() ?? "") : options.filename;
  assertOnDisk(filename);
  assertSettings(options);
  assertDriver("driver" in options ? options.driver : undefined);
  const busyTimeoutMs = options.busyTimeoutMs ?? busyTimeoutMsDefault;
  const opened: DriverConnection<TClient>[] = [];
  try {
    const Driver = await driverOf(options);
    const writer = isAdopting(options)
      ? toConnection(options.database, false)
      : toConnection(new Driver(filename), true);
    opened.push(writer);
    await (isAdopting(options)
      ? checkUsersConnection(writer, options)
      : setUpOwnConnection(writer, options));
    const reader = toConnection(new Driver(filename, { readOnly: true, timeout: 0 }), true);
    opened.push(reader);
    return createFileProvider({ filename, writer, reader, busyTimeoutMs });
  } catch (error) {
    for (const connection of opened) connection.close();
    throw toFileError(error, filename);
  }
};

// A function, because the compiler does not narrow unions that depend on a type parameter.
const isAdopting = <TClient extends NodeSqliteDatabase>(
  options: NodeSqliteProviderOptions<TClient>,
): options is AdoptOptions<TClient> => options.database !== undefined;

const driverOf = async <TClient extends NodeSqliteDatabase>(
  options: NodeSqliteProviderOptions<TClient>,
): Promise<NodeSqliteConstructor<TClient>> => {
  if (!isAdopting(options) && options.driver !== undefined) return options.driver;
  let Driver: NodeSqliteConstructor<TClient>;
  try {
    // TClient is wider than this only when `driver` or `database` says so.
    Driver = (await loadNodeSqlite()) as NodeSqliteConstructor<TClient>;
  } catch (error) {
    throw new SqliteDriverMissingError("node:sqlite", { cause: error });
  }
  // Node 22.16 added the methods of connections and statements that are used here.
  if (!hasMethods(Driver.prototype, ["location"]))
    throw new SqliteDriverMissingError("node:sqlite");
  return Driver;
};

const toConnection = <TClient extends NodeSqliteDatabase>(
  client: TClient,
  owned: boolean,
): DriverConnection<TClient> =>
  createDriverConnection(client, {
    owned,
    prepare: (sql) => toStatement(client.prepare(sql)),
    isInTransaction: () => client.isTransaction,
  });

type Row = readonly SqliteValue[];

const toStatement = (statement: NodeSqliteStatement): SqliteStatement => {
  // Arrays cost less than objects. These statements ignore the setting of the connection for integers.
  statement.setReturnArrays(true);
  statement.setReadBigInts(false);
  return {
    run: (...parameters) => statement.run(...parameters),
    // With the setting above, rows are arrays of values.
    all: (...parameters) => statement.all(...parameters) as readonly Row[],
    get: (...parameters) => statement.get(...parameters) as Row | undefined,
  };
};
