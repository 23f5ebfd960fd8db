import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import {
  createPgStateAdapter,
  PgInvalidOptionError,
  PgMigrationChangedError,
  PgMigrationLockedError,
  PgPermissionError,
  PgSchemaOutdatedError,
  PgSchemaTooNewError,
  PgUnreachableError,
} from "../src/index.ts";
import { describeSchema } from "../src/migrations/describe-schema.ts";
import { migrations } from "../src/migrations/index.ts";
import { checksumOf, statementsOf } from "../src/migrations/migration.ts";
import { routinesVersion } from "../src/migrations/index.ts";
import { routines } from "../src/routines/index.ts";
import { moreRowsToLock, notCommitted } from "../src/sqlstates.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createStoreNames } from "../src/store-names.ts";
import { lazyDatabaseUrl, servers } from "./fixtures.ts";

const pools: pg.Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

const openPool = (url: string, config: pg.PoolConfig = {}): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, ...config });
  pools.push(pool);
  return pool;
};

// The checksum of each released migration. A released migration never changes: add another one. Until the first release this
// line changes together with it.
const checksums: Readonly<Record<string, string>> = {
  "0001-create-store": "846c545d27b90ed7305e92a5b342b881eb3f335ef94fc508630ea8131aa0270a",
  "0002-control": "ca95172039e1c5173ab54efe283748197411ecbec7f18dfaf16c91b2189937fe",
  "0003-schedules": "06b63ecf5475704a1313d197488770170bf47064840e6a684a413946e7e5c2da",
  "0004-operator": "389b77514a3df763bdb6af04ae516960f63c3b5e47f3ba28fe3456f375476d4a",
  "0005-attempts": "04c23a3bc22adb5db149b99917022b6f30ae8cbbf8d33f5bc34a831ce5d57ccb",
  "0006-metrics": "6c73108b0db5e2594d79a74e3d867ad0733ed2b1f5cc1c69efc3a162bb06ca4e",
  "0007-limits": "14e740948e8a2d7ae8084a65ddd2c098a6d492037b57704459d5f143b192a217",
  "0008-deadlines": "1bd58e2bddeeaa34b7cc6680ff71401af40c3f14549baf22bbc0651dd3abc368",
  "0009-logs": "92de963b5eacbc2c96b51398e728f8b4b77110b9911fd7524d2a265cebbdee78",
  "0010-limit-keys": "78fe040df797f4bffe366f11246b3e06bb44b0930a0b1f72ce51a42c8ebefb73",
};

const everything = [...Object.keys(checksums), `routines-${routinesVersion}`];

it("migrations are frozen", () => {
  const names = createStoreNames("queuert", "uuid");
  const found = Object.fromEntries(
    migrations.map((migration) => [migration.name, checksumOf(statementsOf(migration, names))]),
  );
  expect(found).toEqual(checksums);
});

it("each private SQLSTATE of the routines has one meaning", () => {
  const raised = routines.flatMap(({ sql }) => [
    ...sql.matchAll(/RAISE EXCEPTION '([^']+)'\s+USING ERRCODE = '(\w+)'/g),
  ]);
  const meanings = new Set(raised.map(([, message, code]) => `${code}: ${message}`));
  expect(meanings).toEqual(
    new Set([
      `${moreRowsToLock}: queuert: more rows to lock`,
      `${notCommitted}: Not committed: a completed job is no longer held.`,
    ]),
  );
});

describe.each(servers)("%s", (_, databases) => {
  const url = lazyDatabaseUrl(databases);
  const open = async (schema: string) => {
    const pool = openPool(await url());
    const stateProvider = createPgPoolStateProvider(pool);
    return { pool, adapter: await createPgStateAdapter({ stateProvider, schema }) };
  };

  it("creates the schema of the snapshot", async () => {
    const { pool, adapter } = await open("snapshot");
    expect(await adapter.migrateToLatest()).toEqual(everything);
    const query = async (sql: string, params: readonly (string | null)[] = []) =>
      (await pool.query(sql, [...params])).rows;
    const lines = `${(await describeSchema(query, '"snapshot"')).join("\n")}\n`;
    const file = new URL("schema.snapshot.txt", import.meta.url);
    if (process.env["UPDATE_SNAPSHOT"] === "1") await writeFile(file, lines);
    expect(lines).toBe(await readFile(file, "utf8"));
  });

  it("applies each migration once when many processes migrate at the same time", async () => {
    const adapters = await Promise.all(Array.from({ length: 8 }, () => open("many")));
    const applied = await Promise.all(adapters.map(({ adapter }) => adapter.migrateToLatest()));
    expect(applied.flat()).toEqual(everything);
  });

  it("prints the statements of the migration, and runs nothing", async () => {
    const { pool, adapter } = await open("dry run");
    const plan = await adapter.planMigrations();
    expect(plan.slice(0, 2)).toEqual([
      "SET LOCAL search_path = pg_catalog, pg_temp",
      'CREATE SCHEMA "dry run"',
    ]);
    const { rows } = await pool.query("SELECT FROM pg_namespace WHERE nspname = 'dry run'");
    expect(rows).toEqual([]);
    await pool.query(plan.join(";\n"));
    expect(await adapter.planMigrations()).toEqual([]);
    expect(await adapter.checkSchema()).toEqual({ missing: [], unexpected: [] });
  });

  it("reports how the schema differs from the expected one", async () => {
    const { pool, adapter } = await open("drift");
    await adapter.migrateToLatest();
    await pool.query("DROP INDEX drift.ready_order; ALTER TABLE drift.job ADD extra text");
    const { missing, unexpected } = await adapter.checkSchema();
    expect(missing).toEqual([expect.stringContaining("index CREATE UNIQUE INDEX ready_order ON")]);
    expect(unexpected).toEqual([expect.stringContaining("column job.extra text")]);
  });

  // Each is the end of another name, in the search_path, or hard to quote.
  it.each(["b", "job", "migration", "public", 'We"ird', "$queuert$"])(
    "a schema named %s is as expected",
    async (schema) => {
      const { pool, adapter } = await open(schema);
      await pool.query(
        "DROP DOMAIN IF EXISTS public.job_key CASCADE; CREATE DOMAIN public.job_key AS text",
      );
      const stateProvider = createPgPoolStateProvider(pool);
      const byPath = await createPgStateAdapter({
        stateProvider,
        schema,
        idType: "public.job_key",
      });
      expect(await byPath.migrateToLatest()).toEqual(everything);
      expect(await byPath.checkSchema()).toEqual({
        missing: [],
        unexpected: [],
      });
      await expect(adapter.checkSchema()).resolves.not.toEqual({ missing: [], unexpected: [] });
    },
  );

  it.each([
    ["a table", "CREATE TABLE taken_1.job (id integer)"],
    ["a type", "CREATE TYPE taken_2.job AS (a integer)"],
    ["other migrations", "CREATE TABLE taken_3.migration (id integer)"],
  ])("refuses a schema that already has %s of its names", async (_, sql) => {
    const [schema = ""] = /taken_./.exec(sql) ?? [];
    const { pool, adapter } = await open(schema);
    await pool.query(`CREATE SCHEMA ${schema}; ${sql}`);
    await expect(adapter.migrateToLatest()).rejects.toMatchObject({
      code: "QUEUERT_PG_SCHEMA_TAKEN",
      schema,
      message: expect.stringContaining("`schema` option"),
    });
    const { rows } = await pool.query("SELECT to_regclass($1) AS found", [`${schema}.job_blocker`]);
    expect(rows).toEqual([{ found: null }]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses the lockTimeoutMs %s",
    async (ms) => {
      const { adapter } = await open("timeouts");
      const migrating = adapter.migrateToLatest({ lockTimeoutMs: ms });
      await expect(migrating).rejects.toMatchObject({ option: "lockTimeoutMs" });
    },
  );

  it("names the remedy when no connection becomes free", async () => {
    const pool = openPool(await url(), { max: 1 });
    const adapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      connectionRetryConfig: { maxRetries: 0 },
    });
    await adapter.runInTransaction(async () => {
      // The only connection is made: on busy cores that may take longer.
      pool.options.connectionTimeoutMillis = 50;
      await expect(adapter.reclaimExpiredLeases({ limit: 1 })).rejects.toMatchObject({
        code: "QUEUERT_PG_POOL_EXHAUSTED",
        message: expect.stringContaining("more connections"),
      });
    });
  });

  it("gives up on a lock after lockTimeoutMs, with nothing changed", async () => {
    const { pool, adapter } = await open("locked");
    const { adapter: other } = await open("locked");
    await adapter.runInTransaction(async ({ client }) => {
      // The lock of a process that is migrating.
      const digest = createHash("sha256").update("queuert migrations of locked").digest();
      await client.query("SELECT pg_advisory_xact_lock($1)", [
        String(digest.readBigUInt64BE(0) >> 1n),
      ]);
      await expect(other.migrateToLatest({ lockTimeoutMs: 100 })).rejects.toThrow(
        PgMigrationLockedError,
      );
    });
    const { rows } = await pool.query("SELECT FROM pg_namespace WHERE nspname = 'locked'");
    expect(rows).toEqual([]);
  });

  it("refuses a schema that is newer than the library", async () => {
    const { pool, adapter } = await open("newer");
    await adapter.migrateToLatest();
    await pool.query("INSERT INTO newer.migration VALUES ('0999-of-the-future', 'x')");
    await expect(adapter.migrateToLatest()).rejects.toThrow(PgSchemaTooNewError);
  });

  it("refuses a schema that was made with other options", async () => {
    const { adapter } = await open("options");
    await adapter.migrateToLatest();
    const stateProvider = createPgPoolStateProvider(openPool(await url()));
    const other = await createPgStateAdapter({ stateProvider, schema: "options", idType: "text" });
    await expect(other.migrateToLatest()).rejects.toThrow(PgMigrationChangedError);
  });

  it("names the remedy when migrations are missing", async () => {
    const { adapter } = await open("missing");
    await expect(adapter.getJobs({ ids: [crypto.randomUUID()] })).rejects.toThrow(
      PgSchemaOutdatedError,
    );
    await expect(adapter.reclaimExpiredLeases({ limit: 1 })).rejects.toThrow("migrateToLatest()");
  });

  it("names the remedy when rights are missing", async () => {
    const { pool, adapter } = await open("rights");
    await adapter.migrateToLatest();
    await pool.query(`DROP ROLE IF EXISTS queuert_nobody; CREATE ROLE queuert_nobody LOGIN`);
    const asNobody = new URL(await url());
    asNobody.username = "queuert_nobody";
    const stateProvider = createPgPoolStateProvider(openPool(asNobody.href));
    const nobody = await createPgStateAdapter({ stateProvider, schema: "rights" });
    await expect(nobody.getJobs({ ids: [crypto.randomUUID()] })).rejects.toThrow(PgPermissionError);
  });

  it("needs no right to create schemas when the schema is there", async () => {
    const { pool } = await open("given");
    const asOwner = new URL(await url());
    // Roles are the server's, and one that owns something is not dropped: the name is the database's, which is new.
    asOwner.username = `${asOwner.pathname.slice(1)}_owner`;
    await pool.query(`CREATE ROLE ${asOwner.username} LOGIN;
      CREATE SCHEMA given AUTHORIZATION ${asOwner.username}`);
    const stateProvider = createPgPoolStateProvider(openPool(asOwner.href));
    const adapter = await createPgStateAdapter({ stateProvider, schema: "given" });
    expect(await adapter.migrateToLatest()).toEqual(everything);
  });
});

describe("options", () => {
  const stateProvider = createPgPoolStateProvider(new pg.Pool());

  it.each(["", "x".repeat(64), "a\0b"])("refuses the schema %j", async (schema) => {
    await expect(createPgStateAdapter({ stateProvider, schema })).rejects.toThrow(
      PgInvalidOptionError,
    );
  });

  it.each(["", "uuid; DROP TABLE x", "uuid)"])("refuses the idType %j", async (idType) => {
    await expect(createPgStateAdapter({ stateProvider, idType })).rejects.toThrow(
      PgInvalidOptionError,
    );
  });

  it("names the remedy when the server cannot be reached", async () => {
    const pool = openPool("postgres://someone:secret@127.0.0.1:1/nowhere");
    const adapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      connectionRetryConfig: { maxRetries: 1, initialDelayMs: 1 },
    });
    const refused = adapter.getJobs({ ids: [crypto.randomUUID()] });
    await expect(refused).rejects.toThrow(PgUnreachableError);
    await expect(refused).rejects.not.toThrow(/secret/);
    await expect(adapter.runInTransaction(async () => {})).rejects.toThrow(PgUnreachableError);
  });

  it("names the remedy when the server does not answer", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const pool = openPool(`postgres://127.0.0.1:${port}/nowhere`, { connectionTimeoutMillis: 50 });
    const adapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      connectionRetryConfig: { maxRetries: 0 },
    });
    await expect(adapter.runInTransaction(async () => {})).rejects.toThrow(PgUnreachableError);
    silent.close();
  });
});
