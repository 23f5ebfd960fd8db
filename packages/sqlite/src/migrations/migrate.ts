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
import { knownVersion, migrations, usableFrom } from "./index.ts";
import { migrationSql } from "./migration.ts";

/** The options of `migrateSqliteSchema` and `checkSqliteSchema`. */
export interface SqliteSchemaOptions {
  /** As for the adapter. */
  readonly stateProvider: SqliteStateProvider;
  /** As for the adapter. Default: `"queuert_"`. */
  readonly tablePrefix?: string | undefined;
  /** As for the adapter. Default: `"TEXT"`. */
  readonly idType?: string | undefined;
}

/** The result of `migrateSqliteSchema`. */
export interface SqliteMigrationResult {
  /** The migrations that were applied. With `dryRun`, those that are missing. */
  readonly applied: readonly { readonly version: number; readonly name: string }[];
  /** Their statements. */
  readonly sql: string;
}

/**
 * Creates the tables or brings them up to date. With `dryRun` it writes nothing and returns the same result.
 *
 * @example
 * ```ts
 * const { sql } = await migrateSqliteSchema({ stateProvider, dryRun: true });
 * await migrateSqliteSchema({ stateProvider });
 * ```
 */
export const migrateSqliteSchema = async (
  options: SqliteSchemaOptions & { readonly dryRun?: boolean | undefined },
): Promise<SqliteMigrationResult> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT", dryRun } = options;
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  const { version } = await readWith(stateProvider, (session) => usableVersion(session, names));
  if (version < knownVersion && dryRun !== true) {
    return writeWith(stateProvider, (connection) => apply(connection, names, idType));
  }
  return toResult(names, idType, version);
};

/** Throws unless this release can use the tables. Returns whether a newer release has migrated them. */
export const assertSqliteSchema = async (
  stateProvider: SqliteStateProvider,
  names: TableNames,
): Promise<{ readonly isNewer: boolean }> => {
  const { version } = await readWith(stateProvider, (session) => usableVersion(session, names));
  if (version < knownVersion) throw new SqliteSchemaTooOldError(version, knownVersion);
  return { isNewer: version > knownVersion };
};

const apply = (
  connection: SqliteConnection,
  names: TableNames,
  idType: string,
): SqliteMigrationResult => {
  const session = sessionOf(connection);
  // Read again under the write lock: another process may have migrated since.
  const { version, isWithoutUsableFrom } = usableVersion(session, names);
  connection.exec(createMigrationTable(names));
  if (isWithoutUsableFrom) {
    connection.exec(`ALTER TABLE ${names.migration} ADD COLUMN usable_from INTEGER`);
  }
  const insert = `INSERT INTO ${names.migration} (version, name, applied_at, usable_from) VALUES (?, ?, ?, ?)`;
  migrations.slice(version).forEach((migration, index) => {
    create(connection, migrationSql(migration, names.prefix, idType));
    session.run(insert, version + index + 1, migration.name, session.now(), usableFrom);
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
  applied_at INTEGER NOT NULL,
  usable_from INTEGER
) STRICT;\n`;

interface StoredVersion {
  /** 0 for no tables. */
  readonly version: number;
  /** The table of migrations was made before it had this column. */
  readonly isWithoutUsableFrom: boolean;
}

/** The version of the tables. Throws if a newer release has migrated them, and they are not for this release any more. */
const usableVersion = (session: Session, names: TableNames): StoredVersion => {
  const stored = storedVersion(session, names);
  const { version, isWithoutUsableFrom } = stored;
  if (version <= knownVersion) return stored;
  const [oldest] = isWithoutUsableFrom
    ? [null]
    : (session.get<[number | null]>(
        `SELECT usable_from FROM ${names.migration} WHERE version = ?`,
        version,
      ) ?? [null]);
  if (oldest !== null && oldest <= knownVersion) return stored;
  throw new SqliteSchemaTooNewError(version, knownVersion);
};

const columnsBefore = "version,name,applied_at";

const storedVersion = (session: Session, { migration }: TableNames): StoredVersion => {
  // To SQLite, names that differ in case are the same.
  const found = session.get<[type: string]>(
    "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
    migration,
  );
  if (found === undefined) return { version: 0, isWithoutUsableFrom: false };
  const [type] = found;
  const columns = session.all<[string]>("SELECT name FROM pragma_table_info(?)", migration);
  const isWithoutUsableFrom = columns.join() === columnsBefore;
  const isOurs = isWithoutUsableFrom || columns.join() === `${columnsBefore},usable_from`;
  if (type !== "table" || !isOurs) {
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
  return { version, isWithoutUsableFrom };
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
