// The stores under the page: an empty one for each test.
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { createPgNotifyAdapter, createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { startPostgres } from "@queuert/test-services/postgres";
import { providedMongodb, providedPostgres } from "@queuert/test-services/provided";
import BetterSqlite3 from "better-sqlite3";
import { MongoClient } from "mongodb";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import type { NotifyAdapter } from "queuert";
import { onTestFinished } from "vitest";
import { openShop, type Shop } from "./shop.ts";

export type StoreKind = "postgres" | "sqlite" | "mongodb";

const isNode20 = process.versions.node.startsWith("20.");
const driver: typeof BetterSqlite3 = isNode20
  ? BetterSqlite3
  : (createRequire(import.meta.url)("better-sqlite3-node22") as typeof BetterSqlite3);

/** A shop on a PostgreSQL of the test's own, which can be stopped and started. Its notifications are those of PostgreSQL. */
export const aShopWithServer = async (): Promise<{
  readonly shop: Shop;
  readonly database: Awaited<ReturnType<typeof startPostgres>>;
}> => {
  const database = await startPostgres({ exclusive: true });
  onTestFinished(() => database.close());
  const stateAdapter = await openPostgres(database.url);
  const pool = aPool(database.url);
  const notifyAdapter = await createPgNotifyAdapter({
    provider: createPgPoolNotifyProvider(pool),
  });
  const shop = await openShop(stateAdapter, notifyAdapter);
  onTestFinished(async () => {
    await shop.close();
    await notifyAdapter.close();
  });
  return { shop, database };
};

const aPool = (connectionString: string): Pool => {
  const pool = new Pool({ connectionString });
  // The connections of a server that stops end with an error.
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return pool;
};

const openPostgres = async (url: string): Promise<AnyStore> => {
  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(aPool(url)),
  });
  await stateAdapter.migrateToLatest();
  return stateAdapter;
};

/** A shop on an empty store. It is closed at the end of the test, with its workers. */
export const aShop = async (kind: StoreKind, notifyAdapter?: NotifyAdapter): Promise<Shop> => {
  const shop = await openShop(await opened[kind](), notifyAdapter);
  onTestFinished(() => shop.close());
  return shop;
};

type AnyStore = Parameters<typeof openShop>[0];

const opened: Readonly<Record<StoreKind, () => Promise<AnyStore>>> = {
  postgres: async () => {
    const database = await providedPostgres().createDatabase();
    onTestFinished(() => database.drop());
    return openPostgres(database.url);
  },
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "queuert-page-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const stateProvider = await createBetterSqlite3Provider({
      filename: join(folder, "shop.db"),
      driver,
    });
    onTestFinished(() => stateProvider.close());
    return createSqliteStateAdapter({ stateProvider });
  },
  mongodb: async () => {
    const database = await providedMongodb().createDatabase();
    onTestFinished(() => database.drop());
    const client = new MongoClient(database.url);
    onTestFinished(() => client.close());
    const stateAdapter = await createMongoStateAdapter({
      stateProvider: createMongodbProvider({ client }),
    });
    await stateAdapter.migrateToLatest();
    return stateAdapter;
  },
};
