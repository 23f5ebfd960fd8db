// Brings a schema to the newest version, once, also if many processes try at the same time. It is one transaction behind
// an advisory lock, with a limit on the wait for locks.
import { createHash } from "node:crypto";
import { type BaseStateAdapterContext, limits } from "queuert/internal";
import {
  PgInvalidOptionError,
  PgMigrationChangedError,
  PgMigrationLockedError,
  PgSchemaTakenError,
  PgSchemaTooNewError,
} from "../errors.ts";
import { codeOf } from "../named-errors.ts";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import type { StoreNames } from "../store-names.ts";
import { migrations } from "./index.ts";
import {
  ownRoutines,
  readInstalledRoutines,
  routineSql,
  servesThisVersion,
} from "./installed-routines.ts";
import { checksumOf, type Migration, statementsOf } from "./migration.ts";
import { pinPathSql, routinePath } from "./search-path.ts";

/** The options of a migration. */
export interface MigrateOptions {
  /** How long to wait for another process that migrates, or for a table in use. Default: 10 seconds. */
  readonly lockTimeoutMs?: number | undefined;
}

type Query = (sql: string, params?: readonly (string | null)[]) => Promise<readonly PgRow[]>;
type Provider = PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>;

const lockTimeoutDefaultMs = 10_000;
const lockNotAvailable = "55P03";

// Of tables and composite types, of types, and of functions.
const takenStates = new Set(["42P07", "42710", "42723"]);
const undefinedColumn = "42703";

const taken = (names: StoreNames, error: unknown): PgSchemaTakenError =>
  new PgSchemaTakenError(names.schemaName, (error as Error).message, { cause: error });

/** The migrations and statements that are missing. */
interface Plan {
  /** The names of the migrations to apply, and `routines-<version>` if routines are created or dropped. */
  readonly names: readonly string[];
  readonly statements: readonly string[];
}

/** Applies the missing migrations and returns their names. */
export const migrateToLatest = async (
  provider: Provider,
  names: StoreNames,
  { lockTimeoutMs = lockTimeoutDefaultMs }: MigrateOptions = {},
): Promise<readonly string[]> => {
  if (!(lockTimeoutMs >= 0 && lockTimeoutMs <= limits.timerMsMax)) {
    throw new PgInvalidOptionError("lockTimeoutMs", "a number of milliseconds, 0 or more");
  }
  try {
    return await provider.runInTransaction(async (context) => {
      const query: Query = (sql, params = []) => provider.executeSql({ sql, params }, context);
      await query(pinPathSql);
      await query(`SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(lockTimeoutMs))}`);
      // Prisma cannot read a column of the type `void`.
      await query("SELECT 1 FROM pg_advisory_xact_lock($1::text::bigint)", [lockKey(names)]);
      const plan = await makePlan(query, names);
      for (const sql of plan.statements) await query(sql);
      return plan.names;
    });
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : undefined;
    if (code === lockNotAvailable)
      throw new PgMigrationLockedError(names.schemaName, { cause: error });
    if (code !== undefined && takenStates.has(code)) throw taken(names, error);
    throw error;
  }
};

/** The SQL that `migrateToLatest` would run now. Nothing is run. */
export const planMigrations = async (
  provider: Provider,
  names: StoreNames,
): Promise<readonly string[]> => {
  const query: Query = (sql, params = []) => provider.executeSql({ sql, params }, undefined);
  const { statements } = await makePlan(query, names);
  return statements.length === 0 ? [] : [pinPathSql, ...statements];
};

const makePlan = async (query: Query, names: StoreNames): Promise<Plan> => {
  const applied = await appliedMigrations(query, names);
  const installed = applied.size === 0 ? [] : await readInstalledRoutines(query, names);
  const unknown = [...applied.keys()].find((name) => !migrations.some((one) => one.name === name));
  if (unknown !== undefined) {
    if (servesThisVersion(installed, ownRoutines)) return { names: [], statements: [] };
    throw new PgSchemaTooNewError(names.schemaName, unknown);
  }
  const missing = missingMigrations(names, applied);
  const ofTables = migrationSql(names, missing, await schemaExists(query, names));
  const ofRoutines = routineSql(names, await routinePath(query, names), installed);
  return {
    names: [
      ...missing.map(({ name }) => name),
      ...(ofRoutines.length === 0 ? [] : [`routines-${ownRoutines.version}`]),
    ],
    statements: [...ofTables, ...ofRoutines],
  };
};

/** A role may own a schema without the right to create one, which even IF NOT EXISTS asks for. */
const schemaExists = async (query: Query, names: StoreNames): Promise<boolean> => {
  const [row] = await query(
    "SELECT (pg_catalog.to_regnamespace($1::pg_catalog.text) IS NOT NULL)::integer AS found",
    [names.schema],
  );
  return Number(row?.["found"]) === 1;
};

/** Checksums by name, as recorded in the schema; none if the schema does not exist yet. */
const appliedMigrations = async (
  query: Query,
  names: StoreNames,
): Promise<ReadonlyMap<string, string>> => {
  const [found] = await query(
    "SELECT (pg_catalog.to_regclass($1::pg_catalog.text) IS NOT NULL)::integer AS found",
    [`${names.schema}.migration`],
  );
  if (Number(found?.["found"]) !== 1) return new Map();
  const rows = await query(
    `SELECT name, checksum FROM ${names.schema}.migration ORDER BY name`,
  ).catch((error: Error) => {
    throw codeOf(error) === undefinedColumn ? taken(names, error) : error;
  });
  return new Map(rows.map((row) => [String(row["name"]), String(row["checksum"])]));
};

/** Those not applied yet. Refuses a schema that was made from other texts. */
const missingMigrations = (
  names: StoreNames,
  applied: ReadonlyMap<string, string>,
): readonly Migration[] =>
  migrations.filter((migration) => {
    const checksum = applied.get(migration.name);
    if (checksum === undefined) return true;
    if (checksumOf(statementsOf(migration, names)) === checksum) return false;
    throw new PgMigrationChangedError(names.schemaName, migration.name);
  });

/** The statements of some migrations, each followed by the one that records it. */
export const migrationSql = (
  names: StoreNames,
  missing: readonly Migration[],
  schemaExists: boolean,
): readonly string[] => {
  if (missing.length === 0) return [];
  return [
    ...(schemaExists ? [] : [`CREATE SCHEMA ${names.schema}`]),
    `CREATE TABLE IF NOT EXISTS ${names.schema}.migration (\n  name text PRIMARY KEY,\n` +
      `  checksum text NOT NULL,\n  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()\n)`,
    ...missing.flatMap((migration) => {
      const statements = statementsOf(migration, names);
      return [
        ...statements,
        `INSERT INTO ${names.schema}.migration (name, checksum)\n` +
          `VALUES ('${migration.name}', '${checksumOf(statements)}')`,
      ];
    }),
  ];
};

/** One lock for each schema, from 63 bits of the hash of its name. */
const lockKey = (names: StoreNames): string => {
  const digest = createHash("sha256").update(`queuert migrations of ${names.schemaName}`).digest();
  return String(digest.readBigUInt64BE(0) >> 1n);
};
