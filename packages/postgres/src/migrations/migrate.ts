// Brings a schema to the newest version, once, however many processes try at the same time: one transaction, behind an
// advisory lock, with a limit on how long it waits for locks. Either all of it is applied or nothing.
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
import { checksumOf, type Migration } from "./migration.ts";

export interface MigrateOptions {
  /** How long to wait for another process that migrates, or for a table in use. Default: 10 seconds. */
  readonly lockTimeoutMs?: number | undefined;
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
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

/** Applies what is missing; answers the names of the migrations applied by this call. */
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
      await query(`SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(lockTimeoutMs))}`);
      await query("SELECT pg_advisory_xact_lock($1::text::bigint)", [lockKey(names)]);
      const missing = missingMigrations(names, await appliedMigrations(query, names));
      const exists = await schemaExists(query, names);
      for (const sql of migrationSql(names, missing, exists)) await query(sql);
      return missing.map(({ name }) => name);
    });
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : undefined;
    if (code === lockNotAvailable)
      throw new PgMigrationLockedError(names.schemaName, { cause: error });
    if (code !== undefined && takenStates.has(code)) throw taken(names, error);
    throw error;
  }
};

/** What `migrateToLatest` would run now, as SQL, without running it. */
export const planMigrations = async (
  provider: Provider,
  names: StoreNames,
): Promise<readonly string[]> => {
  const query: Query = (sql, params = []) => provider.executeSql({ sql, params }, undefined);
  const missing = missingMigrations(names, await appliedMigrations(query, names));
  return migrationSql(names, missing, await schemaExists(query, names));
};

/** A role may own a schema without the right to create one, which even IF NOT EXISTS asks for. */
const schemaExists = async (query: Query, names: StoreNames): Promise<boolean> => {
  const [row] = await query("SELECT (to_regnamespace($1::text) IS NOT NULL)::integer AS found", [
    names.schema,
  ]);
  return Number(row?.["found"]) === 1;
};

/** Names and checksums as recorded in the schema; none if it does not exist yet. */
export const appliedMigrations = async (
  query: Query,
  names: StoreNames,
): Promise<readonly AppliedMigration[]> => {
  const [found] = await query(`SELECT (to_regclass($1::text) IS NOT NULL)::integer AS found`, [
    `${names.schema}.migration`,
  ]);
  if (Number(found?.["found"]) !== 1) return [];
  const rows = await query(
    `SELECT name, checksum FROM ${names.schema}.migration ORDER BY name`,
  ).catch((error: Error) => {
    throw codeOf(error) === undefinedColumn ? taken(names, error) : error;
  });
  return rows.map((row) => ({ name: String(row["name"]), checksum: String(row["checksum"]) }));
};

/** Those not applied yet. Refuses a schema that is newer than the library, or was made from other texts. */
export const missingMigrations = (
  names: StoreNames,
  applied: readonly AppliedMigration[],
): readonly Migration[] => {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    if (migration === undefined) throw new PgSchemaTooNewError(names.schemaName, name);
    if (checksumOf(migration, names) !== checksum) {
      throw new PgMigrationChangedError(names.schemaName, name);
    }
  }
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
};

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
    ...missing.flatMap((migration) => [
      ...migration.statements(names),
      `INSERT INTO ${names.schema}.migration (name, checksum)\n` +
        `VALUES ('${migration.name}', '${checksumOf(migration, names)}')`,
    ]),
  ];
};

/** One lock for each schema, from 63 bits of its name's hash. */
const lockKey = (names: StoreNames): string => {
  const digest = createHash("sha256").update(`queuert migrations of ${names.schemaName}`).digest();
  return String(digest.readBigUInt64BE(0) >> 1n);
};
