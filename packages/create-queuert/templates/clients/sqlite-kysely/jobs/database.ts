import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import type { GetStateAdapterTxContext } from "queuert";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createKyselyStateProvider } from "@queuert/sqlite/kysely";
import { createSqliteTimeTravel } from "@queuert/sqlite/test";

interface Tables {
  users: { email: string; welcomed: number };
}

/** Your tables and those of the jobs, in one file: `app.db`, and `test.db` for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const database = new Database(`${name}.db`, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  await db.schema
    .createTable("users")
    .ifNotExists()
    .addColumn("email", "text", (column) => column.primaryKey())
    .addColumn("welcomed", "integer", (column) => column.notNull())
    .execute();
  const stateProvider = await createKyselyStateProvider({ db, database });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  const isWelcomed = async (email: string) => {
    const user = db.selectFrom("users").selectAll().where("email", "=", email);
    return (await user.executeTakeFirst())?.welcomed === 1;
  };
  const close = async () => {
    await stateProvider.close();
    await db.destroy();
  };
  const timeTravel = createSqliteTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ db }: Transaction, email: string) => {
  await db.insertInto("users").values({ email, welcomed: 0 }).execute();
};

export const markWelcomed = async ({ db }: Transaction, email: string) => {
  await db.updateTable("users").set({ welcomed: 1 }).where("email", "=", email).execute();
};
