import type pg from "pg";
import { DataSource, EntitySchema } from "typeorm";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createTypeOrmStateProvider } from "@queuert/postgres/typeorm";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";
const User = new EntitySchema<{ email: string; welcomed: boolean }>({
  name: "users",
  columns: { email: { type: "text", primary: true }, welcomed: { type: "boolean" } },
});

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const dataSource = new DataSource({ type: "postgres", url, entities: [User], poolSize: 10 });
  await dataSource.initialize();
  // Without a listener, a connection that reports its end twice ends the process.
  const { master } = dataSource.driver as unknown as { master: pg.Pool };
  master.on("connect", (client) => client.on("error", console.error));
  await dataSource.query(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createTypeOrmStateProvider(dataSource, { connectionsMax: 10 });
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) =>
    (await dataSource.manager.findOneBy(User, { email }))?.welcomed === true;
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => dataSource.destroy() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ manager }: Transaction, email: string) => {
  await manager.insert(User, { email, welcomed: false });
};

export const markWelcomed = async ({ manager }: Transaction, email: string) => {
  await manager.update(User, { email }, { welcomed: true });
};
