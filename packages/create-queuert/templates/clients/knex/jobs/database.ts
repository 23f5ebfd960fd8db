import createKnex from "knex";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createKnexStateProvider } from "@queuert/postgres/knex";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const knex = createKnex({ client: "pg", connection: url, pool: { min: 0, max: 10 } });
  await knex.raw(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createKnexStateProvider(knex, { connectionsMax: 10 });
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) =>
    (await knex("users").where({ email }).first())?.welcomed === true;
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => knex.destroy() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ trx }: Transaction, email: string) => {
  await trx("users").insert({ email, welcomed: false });
};

export const markWelcomed = async ({ trx }: Transaction, email: string) => {
  await trx("users").where({ email }).update({ welcomed: true });
};
