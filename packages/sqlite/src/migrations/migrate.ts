// Brings the tables to the version this release knows. One immediate transaction holds the whole of it, so that of
// several processes that start at once the first migrates and the others find it done.
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
import type { Migration } from "./migration.ts";

export interface SqliteSchemaOptions {
  readonly stateProvider: SqliteStateProvider;
  readonly tablePrefix?: string | undefined;
  readonly idType?: string | undefined;
}

export interface SqliteMigrationResult {
  /** What was applied, or with `dryRun` would be. */
  readonly applied: readonly { readonly version: number; readonly name: string }[];
  /** The statements that were run, or would be. */
  readonly sql: string;
}

/** Creates the tables or brings them up to date; does nothing when they are. With `dryRun` only says what it would do. */
export const migrateSqliteSchema = async (
  options: SqliteSchemaOptions & { readonly dryRun?: boolean | undefined },
): Promise<SqliteMigrationResult> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT", dryRun } = options;
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  const pending = await readWith(stateProvider, (session) => pendingMigrations(session, names));
  if (pending.length > 0 && dryRun !== true) {
    return writeWith(stateProvider, (connection) => apply(connection, names, idType));
  }
  return toResult(pending, names, idType);
};

/** Throws unless the tables are at the version this release knows. */
export const assertSqliteSchema = async (
  stateProvider: SqliteStateProvider,
  names: TableNames,
): Promise<void> => {
  const pending = await readWith(stateProvider, (session) => pendingMigrations(session, names));
  if (pending.length > 0) {
    throw new SqliteSchemaTooOldError(knownVersion - pending.length, knownVersion);
  }
};

const apply = (
  connection: SqliteConnection,
  names: TableNames,
  idType: string,
): SqliteMigrationResult => {
  const session = sessionOf(connection);
  // Again, under the write lock: somebody may have migrated meanwhile.
  const pending = pendingMigrations(session, names);
  connection.exec(createMigrationTable(names));
  for (const migration of pending) {
    create(connection, migration.sql(names, idType));
    session.run(
      `INSERT INTO ${names.migration} (version, name, applied_at) VALUES (?, ?, ?)`,
      migration.version,
      migration.name,
      session.now(),
    );
  }
  return toResult(pending, names, idType);
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

const storedVersion = (session: Session, { migration }: TableNames): number => {
  // SQLite takes names that differ in case for the same.
  const found = session.get<[string, string | null]>(
    "SELECT type, sql FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
    migration,
  );
  if (found === undefined) return 0;
  const columns = session.all<[string]>("SELECT name FROM pragma_table_info(?)", migration);
  if (found[0] !== "table" || columns.join() !== "version,name,applied_at") {
    throw new SqliteSchemaTakenError(`${found[0]} ${migration}`);
  }
  const applied = session.all<[number, string]>(
    `SELECT version, name FROM ${migration} ORDER BY version`,
  );
  // A list of migrations may be anybody's: ours begins with the first, by its name.
  const [first] = applied;
  if (first !== undefined && (first[0] !== 1 || first[1] !== migrations[0]?.name)) {
    throw new SqliteSchemaTakenError(`table ${migration}`);
  }
  return applied.at(-1)?.[0] ?? 0;
};

const pendingMigrations = (session: Session, names: TableNames): readonly Migration[] => {
  const version = storedVersion(session, names);
  if (version > knownVersion) throw new SqliteSchemaTooNewError(version, knownVersion);
  return migrations.filter((migration) => migration.version > version);
};

const toResult = (
  applied: readonly Migration[],
  names: TableNames,
  idType: string,
): SqliteMigrationResult => ({
  applied: applied.map(({ version, name }) => ({ version, name })),
  sql:
    applied.length === 0
      ? ""
      : createMigrationTable(names) + applied.map(({ sql }) => sql(names, idType)).join(""),
});

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
