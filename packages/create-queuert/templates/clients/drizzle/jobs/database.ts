import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { boolean, pgTable, text } from "drizzle-orm/pg-core";
import pg from "pg";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createDrizzleStateProvider } from "@queuert/postgres/drizzle";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";
const users = pgTable("users", { email: text().primaryKey(), welcomed: boolean().notNull() });

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzle(pool, { schema: { users } });
  await db.execute(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createDrizzleStateProvider(db, createPgPoolStateProvider(pool));
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) => {
    const [user] = await db.select().from(users).where(eq(users.email, email));
    return user?.welcomed === true;
  };
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => pool.end() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ db }: Transaction, email: string) => {
  await db.insert(users).values({ email, welcomed: false });
};

export const markWelcomed = async ({ db }: Transaction, email: string) => {
  await db.update(users).set({ welcomed: true }).where(eq(users.email, email));
};
