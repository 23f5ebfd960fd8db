import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createKyselyStateProvider } from "@queuert/postgres/kysely";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";

interface Tables {
  users: { email: string; welcomed: boolean };
}

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // Without a listener, a connection that breaks between two statements ends the process.
  pool.on("error", console.error);
  pool.on("connect", (client) => client.on("error", console.error));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await sql.raw(createUsers).execute(db);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createKyselyStateProvider(db, { connectionsMax: 10 });
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) => {
    const user = db.selectFrom("users").selectAll().where("email", "=", email);
    return (await user.executeTakeFirst())?.welcomed === true;
  };
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => db.destroy() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ db }: Transaction, email: string) => {
  await db.insertInto("users").values({ email, welcomed: false }).execute();
};

export const markWelcomed = async ({ db }: Transaction, email: string) => {
  await db.updateTable("users").set({ welcomed: true }).where("email", "=", email).execute();
};
