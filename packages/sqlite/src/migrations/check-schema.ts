// Compares the tables with those that the migrations make. The migrations are run once more, under another prefix, in a
// savepoint that is rolled back. The check therefore needs no second description of the schema.
import type { SqliteConnection } from "../connection.ts";
import { SqliteSchemaDriftError } from "../errors.ts";
import { assertIdType, type TableNames, tableNames, tablePrefixDefault } from "../names.ts";
import { sessionOf } from "../session.ts";
import { assertSqliteSchema, type SqliteSchemaOptions, writeWith } from "./migrate.ts";
import { migrations } from "./index.ts";
import { migrationSql } from "./migration.ts";

const scratchPrefix = "queuert_expected_schema_";

/**
 * Throws unless the tables have the version that this release knows, and equal those that its migrations make.
 *
 * @example
 * ```ts
 * await checkSqliteSchema({ stateProvider }); // throws if the tables were changed
 * ```
 *
 * @throws QUEUERT_SQLITE_SCHEMA_TOO_OLD, QUEUERT_SQLITE_SCHEMA_TOO_NEW, QUEUERT_SQLITE_SCHEMA_DRIFT
 */
export const checkSqliteSchema = async (options: SqliteSchemaOptions): Promise<void> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT" } = options;
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  const { isNewer } = await assertSqliteSchema(stateProvider, names);
  // This release does not know the tables of the next one.
  if (isNewer) return;
  const differences = await writeWith(stateProvider, (connection) => {
    const expected = expectedSchema(connection, names, idType);
    const stored = storedSchema(connection, names);
    return differencesBetween(expected, stored);
  });
  if (differences.length > 0) throw new SqliteSchemaDriftError(differences);
};

/** Statements that made tables and indexes, by the name of the table or index. */
type Schema = ReadonlyMap<string, string>;

const expectedSchema = (
  connection: SqliteConnection,
  names: TableNames,
  idType: string,
): Schema => {
  const scratch = tableNames(scratchPrefix);
  connection.exec("SAVEPOINT queuert_check");
  try {
    for (const migration of migrations) {
      connection.exec(migrationSql(migration, scratchPrefix, idType));
    }
    const made = storedSchema(connection, scratch);
    return new Map(
      [...made].map(([name, sql]) => [
        names.prefix + name.slice(scratchPrefix.length),
        sql.replaceAll(scratchPrefix, names.prefix),
      ]),
    );
  } finally {
    connection.exec("ROLLBACK TO queuert_check");
    connection.exec("RELEASE queuert_check");
  }
};

/** Tables with their indexes and triggers, also those that another program has added. */
const storedSchema = (
  connection: SqliteConnection,
  {
    prefix,
    job,
    blocker,
    ordinal,
    store,
    attempt,
    log,
    progress,
    action,
    metric,
    worker,
    schedule,
    scheduleTick,
    pause,
    jobLimit,
  }: TableNames,
): Schema =>
  new Map(
    sessionOf(connection)
      .all<[string, string]>(
        "SELECT name, sql FROM sqlite_schema WHERE tbl_name COLLATE NOCASE IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AND sql IS NOT NULL ORDER BY name",
        job,
        blocker,
        ordinal,
        store,
        attempt,
        log,
        progress,
        action,
        metric,
        worker,
        schedule,
        scheduleTick,
        pause,
        jobLimit,
      )
      .map(([name, sql]) => [inCaseOf(prefix, name), inCaseOf(prefix, normalize(sql))]),
  );

/** To SQLite, names that differ in case are the same. */
const inCaseOf = (prefix: string, sql: string): string =>
  prefix === "" ? sql : sql.replaceAll(new RegExp(`\\b${prefix}`, "gi"), prefix);

// SQLite quotes the name of a table that was renamed.
const normalize = (sql: string): string => sql.replaceAll('"', "").replace(/\s+/g, " ").trim();

const differencesBetween = (expected: Schema, stored: Schema): readonly string[] => [
  ...[...expected.keys()].filter((name) => !stored.has(name)).map((name) => `${name} is missing`),
  ...[...stored]
    .filter(([name, sql]) => expected.has(name) && expected.get(name) !== sql)
    .map(([name]) => `${name} was changed`),
  ...[...stored.keys()].filter((name) => !expected.has(name)).map((name) => `${name} was added`),
];
