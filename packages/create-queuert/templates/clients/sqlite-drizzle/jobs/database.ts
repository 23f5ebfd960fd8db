import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { GetStateAdapterTxContext } from "queuert";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { createDrizzleStateProvider } from "@queuert/sqlite/drizzle";
import { createSqliteTimeTravel } from "@queuert/sqlite/test";

const users = sqliteTable("users", {
  email: text().primaryKey(),
  welcomed: integer({ mode: "boolean" }),
});

/** Your tables and those of the jobs, in one file: `app.db`, and `test.db` for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const provider = await createBetterSqlite3Provider({ filename: `${name}.db` });
  const stateProvider = createDrizzleStateProvider(provider, (client) =>
    drizzle(client, { schema: { users } }),
  );
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  await stateAdapter.runInTransaction(async ({ db }) => {
    db.run(sql`CREATE TABLE IF NOT EXISTS users (email TEXT PRIMARY KEY, welcomed INTEGER)`);
  });
  const isWelcomed = (email: string) =>
    stateAdapter.runInTransaction(
      async ({ db }) =>
        db.select().from(users).where(eq(users.email, email)).get()?.welcomed === true,
    );
  const timeTravel = createSqliteTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => stateProvider.close() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ db }: Transaction, email: string) => {
  db.insert(users).values({ email, welcomed: false }).run();
};

export const markWelcomed = async ({ db }: Transaction, email: string) => {
  db.update(users).set({ welcomed: true }).where(eq(users.email, email)).run();
};
