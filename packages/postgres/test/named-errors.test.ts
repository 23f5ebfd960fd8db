// Mistakes of an installation are named, with the reason and the remedy.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);
const pools: pg.Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

const open = async (spoil: (good: URL) => void) => {
  const address = new URL(await url());
  spoil(address);
  const pool = new pg.Pool({ connectionString: address.href });
  pools.push(pool);
  const stateProvider = createPgPoolStateProvider(pool);
  const connectionRetryConfig = { maxRetries: 1, initialDelayMs: 1 };
  return { pool, adapter: await createPgStateAdapter({ stateProvider, connectionRetryConfig }) };
};
const ids = [crypto.randomUUID()];

it.each<[string, string, (good: URL) => void, RegExp]>([
  [
    "a database that does not exist",
    "3D000",
    (good) => void (good.pathname = "/no_such_database"),
    /no_such_database.*Create the database/,
  ],
  [
    "a role that does not exist",
    "28000",
    (good) => void (good.username = "no_such_role"),
    /no_such_role.*Create the role/,
  ],
  [
    "a server that does not run",
    "ECONNREFUSED",
    (good) => void (good.host = "127.0.0.1:1"),
    /ECONNREFUSED.*Check that the server runs/,
  ],
])("%s", async (_name, reason, spoil, message) => {
  const { adapter } = await open(spoil);
  const refused = adapter.getJobs({ ids });
  await expect(refused).rejects.toMatchObject({ code: "QUEUERT_PG_UNREACHABLE", reason });
  await expect(refused).rejects.toThrow(message);
});

it("a column and a table that were dropped", async () => {
  const { pool, adapter } = await open(() => undefined);
  await adapter.migrateToLatest();
  expect(await adapter.getJobs({ ids })).toEqual([undefined]);
  await pool.query("ALTER TABLE queuert.job RENAME COLUMN type_name TO lost");
  const code = "QUEUERT_PG_SCHEMA_OUTDATED";
  const reading = adapter.summarize({ runningLongMs: 1 });
  await expect(reading).rejects.toMatchObject({
    code,
    missing: expect.stringContaining("type_name"),
  });
  await expect(reading).rejects.toThrow("`checkSchema()` and `queuert doctor` list it");
  await pool.query("DROP TABLE queuert.job CASCADE");
  const again = adapter.summarize({ runningLongMs: 1 });
  await expect(again).rejects.toMatchObject({ code, missing: expect.stringContaining("job") });
});
