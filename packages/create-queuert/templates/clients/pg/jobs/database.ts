import pg from "pg";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createPgPoolStateProvider(pool);
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) => {
    const { rows } = await pool.query("SELECT welcomed FROM users WHERE email = $1", [email]);
    return rows[0]?.welcomed === true;
  };
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => pool.end() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ client }: Transaction, email: string) => {
  await client.query("INSERT INTO users VALUES ($1, false)", [email]);
};

export const markWelcomed = async ({ client }: Transaction, email: string) => {
  await client.query("UPDATE users SET welcomed = true WHERE email = $1", [email]);
};
