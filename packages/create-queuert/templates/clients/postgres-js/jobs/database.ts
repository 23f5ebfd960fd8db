import postgres from "postgres";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPostgresJsStateProvider } from "@queuert/postgres/postgres-js";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const sql = postgres(url, { fetch_types: false, onnotice: () => undefined });
  await sql.unsafe(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createPostgresJsStateProvider(sql);
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) => {
    const [user] = await sql`SELECT welcomed FROM users WHERE email = ${email}`;
    return user?.["welcomed"] === true;
  };
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => sql.end() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ sql }: Transaction, email: string) => {
  await sql`INSERT INTO users VALUES (${email}, false)`;
};

export const markWelcomed = async ({ sql }: Transaction, email: string) => {
  await sql`UPDATE users SET welcomed = true WHERE email = ${email}`;
};
