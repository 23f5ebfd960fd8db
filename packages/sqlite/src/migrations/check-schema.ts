// Compares the tables with what the migrations make, by making them: once more, under another prefix, in a savepoint that
// is rolled back. So the check needs no second description of the schema that could be wrong.
import type { SqliteConnection } from "../connection.ts";
import { SqliteSchemaDriftError } from "../errors.ts";
import { assertIdType, type TableNames, tableNames, tablePrefixDefault } from "../names.ts";
import { sessionOf } from "../session.ts";
import { assertSqliteSchema, type SqliteSchemaOptions, writeWith } from "./migrate.ts";
import { migrations } from "./index.ts";

const scratchPrefix = "queuert_expected_schema_";

/**
 * Throws unless the tables are at the version this release knows, and as its migrations make them.
 *
 * @throws QUEUERT_SQLITE_SCHEMA_TOO_OLD, QUEUERT_SQLITE_SCHEMA_TOO_NEW, QUEUERT_SQLITE_SCHEMA_DRIFT
 */
export const checkSqliteSchema = async (options: SqliteSchemaOptions): Promise<void> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT" } = options;
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  await assertSqliteSchema(stateProvider, names);
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
  const scratch = scratchNames(names);
  connection.exec("SAVEPOINT queuert_check");
  try {
    for (const { sql } of migrations) connection.exec(sql(scratch, idType));
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

const scratchNames = ({
  prefix,
  job,
  blocker,
  ordinal,
  store,
  migration,
}: TableNames): TableNames => {
  const renamed = (name: string): string => scratchPrefix + name.slice(prefix.length);
  return {
    prefix: scratchPrefix,
    job: renamed(job),
    blocker: renamed(blocker),
    ordinal: renamed(ordinal),
    store: renamed(store),
    migration: renamed(migration),
  };
};

/** Tables and whatever hangs on them: an index or a trigger that somebody added counts, too. */
const storedSchema = (
  connection: SqliteConnection,
  { prefix, job, blocker, ordinal, store }: TableNames,
): Schema =>
  new Map(
    sessionOf(connection)
      .all<[string, string]>(
        "SELECT name, sql FROM sqlite_schema WHERE tbl_name COLLATE NOCASE IN (?, ?, ?, ?) AND sql IS NOT NULL ORDER BY name",
        job,
        blocker,
        ordinal,
        store,
      )
      .map(([name, sql]) => [inCaseOf(prefix, name), inCaseOf(prefix, normalize(sql))]),
  );

/** To SQLite names that differ in case are the same. */
const inCaseOf = (prefix: string, sql: string): string =>
  prefix === "" ? sql : sql.replaceAll(new RegExp(`\\b${prefix}`, "gi"), prefix);

// Renaming a table makes SQLite quote its name.
const normalize = (sql: string): string => sql.replaceAll('"', "").replace(/\s+/g, " ").trim();

const differencesBetween = (expected: Schema, stored: Schema): readonly string[] => [
  ...[...expected.keys()].filter((name) => !stored.has(name)).map((name) => `${name} is missing`),
  ...[...stored]
    .filter(([name, sql]) => expected.has(name) && expected.get(name) !== sql)
    .map(([name]) => `${name} was changed`),
  ...[...stored.keys()].filter((name) => !expected.has(name)).map((name) => `${name} was added`),
];
