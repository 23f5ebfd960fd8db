// Brings the tables to the version that this release knows, in one immediate transaction. If several processes start at
// once, the first one migrates and the others find the work done.
import type { SqliteConnection } from "../connection.ts";
import {
  SqliteSchemaTakenError,
  SqliteSchemaTooNewError,
  SqliteSchemaTooOldError,
} from "../errors.ts";
import { assertIdType, type TableNames, tableNames, tablePrefixDefault } from "../names.ts";
import { type Session, sessionOf } from "../session.ts";
import type { SqliteStateProvider } from "../state-provider.ts";
import { knownVersion, migrations } from "./index.ts";
import { migrationSql } from "./migration.ts";

export interface SqliteSchemaOptions {
  /** As for the adapter. */
  readonly stateProvider: SqliteStateProvider;
  /** As for the adapter. Default: `"queuert_"`. */
  readonly tablePrefix?: string | undefined;
  /** As for the adapter. Default: `"TEXT"`. */
  readonly idType?: string | undefined;
}

export interface SqliteMigrationResult {
  /** The migrations that were applied. With `dryRun`, those that are missing. */
  readonly applied: readonly { readonly version: number; readonly name: string }[];
  /** Their statements. */
  readonly sql: string;
}

/** Creates the tables or brings them up to date. With `dryRun` it writes nothing and returns the same result. */
export const migrateSqliteSchema = async (
  options: SqliteSchemaOptions & { readonly dryRun?: boolean | undefined },
): Promise<SqliteMigrationResult> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT", dryRun } = options;
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  const version = await readWith(stateProvider, (session) => knownVersionOf(session, names));
  if (version < knownVersion && dryRun !== true) {
    return writeWith(stateProvider, (connection) => apply(connection, names, idType));
  }
  return toResult(names, idType, version);
};

/** Throws unless the tables are at the version that this release knows. */
export const assertSqliteSchema = async (
  stateProvider: SqliteStateProvider,
  names: TableNames,
): Promise<void> => {
  const version = await readWith(stateProvider, (session) => knownVersionOf(session, names));
  if (version < knownVersion) throw new SqliteSchemaTooOldError(version, knownVersion);
};

const apply = (
  connection: SqliteConnection,
  names: TableNames,
  idType: string,
): SqliteMigrationResult => {
  const session = sessionOf(connection);
  // Read again under the write lock: another process may have migrated since.
  const version = knownVersionOf(session, names);
  connection.exec(createMigrationTable(names));
  const insert = `INSERT INTO ${names.migration} (version, name, applied_at) VALUES (?, ?, ?)`;
  migrations.slice(version).forEach((migration, index) => {
    create(connection, migrationSql(migration, names.prefix, idType));
    session.run(insert, version + index + 1, migration.name, session.now());
  });
  return toResult(names, idType, version);
};

const create = (connection: SqliteConnection, sql: string): void => {
  try {
    connection.exec(sql);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.endsWith(" already exists")) throw error;
    throw new SqliteSchemaTakenError(error.message, { cause: error });
  }
};

const createMigrationTable = ({ migration }: TableNames): string =>
  `CREATE TABLE IF NOT EXISTS ${migration} (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;\n`;

/** The version of the tables: 0 for none. Throws if this release does not know it. */
const knownVersionOf = (session: Session, names: TableNames): number => {
  const version = storedVersion(session, names);
  if (version > knownVersion) throw new SqliteSchemaTooNewError(version, knownVersion);
  return version;
};

const storedVersion = (session: Session, { migration }: TableNames): number => {
  // To SQLite, names that differ in case are the same.
  const found = session.get<[type: string]>(
    "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
    migration,
  );
  if (found === undefined) return 0;
  const [type] = found;
  const columns = session.all<[string]>("SELECT name FROM pragma_table_info(?)", migration);
  if (type !== "table" || columns.join() !== "version,name,applied_at") {
    throw new SqliteSchemaTakenError(`${type} ${migration}`);
  }
  const applied = session.all<[version: number, name: string]>(
    `SELECT version, name FROM ${migration} ORDER BY version`,
  );
  // The table may belong to another program. Queuert's begins with its first migration, by name.
  const [first] = applied;
  if (first !== undefined && (first[0] !== 1 || first[1] !== migrations[0]?.name)) {
    throw new SqliteSchemaTakenError(`table ${migration}`);
  }
  const [version] = applied.at(-1) ?? [0];
  return version;
};

/** The migrations after a version. */
const toResult = (names: TableNames, idType: string, version: number): SqliteMigrationResult => {
  const missing = migrations.slice(version);
  return {
    applied: missing.map(({ name }, index) => ({ version: version + index + 1, name })),
    sql:
      missing.length === 0
        ? ""
        : createMigrationTable(names) +
          missing.map((migration) => migrationSql(migration, names.prefix, idType)).join(""),
  };
};

export const readWith = <T>(
  provider: SqliteStateProvider,
  step: (session: Session) => T,
): Promise<T> =>
  provider.read === undefined
    ? provider.provideContext(async (own) => step(sessionOf(provider.connectionOf(own))))
    : provider.read((connection) => step(sessionOf(connection)));

export const writeWith = <T>(
  provider: SqliteStateProvider,
  step: (connection: SqliteConnection) => T,
): Promise<T> =>
  provider.write === undefined
    ? provider.runInTransaction(async (context) => step(provider.connectionOf(context)))
    : provider.write(step);
