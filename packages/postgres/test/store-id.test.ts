// The identity of a store whose tables were emptied, as tests of applications do.
import pg from "pg";
import { expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

it.each(servers)("%s: an emptied store gets a new identity, written once", async (_, databases) => {
  const { url } = await databases().createDatabase();
  const pools = Array.from({ length: 4 }, () => new pg.Pool({ connectionString: url, max: 2 }));
  const adapters = await Promise.all(
    pools.map((pool) =>
      // Prepared statements take every text, too.
      createPgStateAdapter({
        schema: 'it\'s "$queuert$"',
        stateProvider: createPgPoolStateProvider(pool, { preparedStatements: true }),
      }),
    ),
  );
  const [first] = adapters;
  const [pool] = pools;
  await first?.migrateToLatest();
  const before = await first?.getStoreId();
  await pool?.query('TRUNCATE "it\'s ""$queuert$""".store');
  const storeIds = await Promise.all(adapters.map((adapter) => adapter.getStoreId()));
  expect(new Set(storeIds).size).toBe(1);
  expect(storeIds[0]).toMatch(/^[a-z0-9]{16}$/);
  expect(storeIds).not.toContain(before);
  expect(await first?.getStoreId()).toBe(storeIds[0]);
  await Promise.all(pools.map((each) => each.end()));
});
