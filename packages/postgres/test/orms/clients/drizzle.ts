import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import { pgTable, text } from "drizzle-orm/pg-core";
import pg from "pg";
import postgres from "postgres";
import { createDrizzleStateProvider } from "../../../src/orms/drizzle.ts";
import { createPgPoolStateProvider } from "../../../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../../../src/providers/postgres-js.ts";
import type { OpenOrm } from "../orm-client.ts";

const done = pgTable("done", { key: text().notNull() });
const schema = { done };

type Inserting = Pick<ReturnType<typeof drizzle>, "insert">;

const insert = async (context: object, key: string): Promise<void> => {
  await (context as { db: Inserting }).db.insert(done).values({ key });
};

export const openDrizzle: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 0 }) => {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
  });
  const db = drizzle(pool, { schema });
  return {
    stateProvider: createDrizzleStateProvider(db, createPgPoolStateProvider(pool)),
    transaction: (callback) => db.transaction((tx) => callback({ db: tx })),
    insert,
    close: () => pool.end(),
  };
};

export const openDrizzlePostgresJs: OpenOrm = async (url, { connectionsMax }) => {
  const sql = postgres(url, { max: connectionsMax, fetch_types: false, onnotice: () => undefined });
  const db = drizzlePostgresJs(sql, { schema });
  return {
    stateProvider: createDrizzleStateProvider(db, createPostgresJsStateProvider(sql)),
    transaction: (callback) => db.transaction((tx) => callback({ db: tx })),
    insert,
    close: () => sql.end({ timeout: 5 }),
  };
};
