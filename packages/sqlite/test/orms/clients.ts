// Each ORM as an application opens it, and the SQLite of Bun where it runs.
import { drizzle } from "drizzle-orm/better-sqlite3";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, SqliteDialect } from "kysely";
import { createDrizzleStateProvider } from "../../src/orms/drizzle.ts";
import { createKyselyStateProvider } from "../../src/orms/kysely.ts";
import { createBetterSqlite3Provider } from "../../src/providers/better-sqlite3.ts";
import { createBunSqliteProvider } from "../../src/providers/bun.ts";
import type { SqliteStateProvider } from "../../src/state-provider.ts";
import { BetterSqlite3Database } from "../better-sqlite3.ts";
import { isBun } from "../drivers.ts";

interface Tables {
  done: { key: string };
}

const done = sqliteTable("done", { key: text().notNull() });

/** No key and no unique index: a row that is written twice is counted twice. */
export const createDoneSql = "CREATE TABLE IF NOT EXISTS done (key TEXT NOT NULL)";

export interface OrmClient {
  readonly stateProvider: Required<SqliteStateProvider>;
  /** Writes a row to the user's table with the ORM. */
  readonly insert: (context: object, key: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

type OpenOrm = (filename: string, busyTimeoutMs?: number) => Promise<OrmClient>;

const openDrizzle: OpenOrm = async (filename, busyTimeoutMs) => {
  const settings = { synchronous: "NORMAL", busyTimeoutMs } as const;
  const driver = BetterSqlite3Database;
  const inner = await createBetterSqlite3Provider({ filename, ...settings, driver });
  const provider = createDrizzleStateProvider(inner, (client) => drizzle(client));
  return {
    stateProvider: provider as unknown as OrmClient["stateProvider"],
    insert: async (context, key) =>
      (context as { db: ReturnType<typeof drizzle> }).db.insert(done).values({ key }).run(),
    close: () => provider.close(),
  };
};

const openKysely: OpenOrm = async (filename, busyTimeoutMs) => {
  const database = new BetterSqlite3Database(filename, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  const provider = await createKyselyStateProvider({ db, database, busyTimeoutMs });
  return {
    stateProvider: provider as unknown as OrmClient["stateProvider"],
    insert: (context, key) =>
      (context as { db: Kysely<Tables> }).db.insertInto("done").values({ key }).execute(),
    close: async () => {
      await provider.close();
      await db.destroy();
    },
  };
};

const openBun: OpenOrm = async (filename, busyTimeoutMs) => {
  const provider = await createBunSqliteProvider({
    ...{ filename, synchronous: "NORMAL", busyTimeoutMs },
  });
  return {
    stateProvider: provider as unknown as OrmClient["stateProvider"],
    insert: async (context, key) =>
      (context as { client: { prepare(sql: string): { run(key: string): unknown } } }).client
        .prepare("INSERT INTO done VALUES (?)")
        .run(key),
    close: () => provider.close(),
  };
};

export const orms: Readonly<Record<string, OpenOrm>> = {
  Drizzle: openDrizzle,
  Kysely: openKysely,
  ...(isBun && { "bun:sqlite": openBun }),
};

export const openOrm: (name: string, ...options: Parameters<OpenOrm>) => Promise<OrmClient> = (
  name,
  ...options
) => {
  const open = orms[name];
  if (open === undefined) throw new Error(`There is no ${name} here`);
  return open(...options);
};
