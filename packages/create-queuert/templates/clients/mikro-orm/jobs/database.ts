import { EntitySchema, MikroORM } from "@mikro-orm/postgresql";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createMikroOrmStateProvider } from "@queuert/postgres/mikro-orm";
import { createPgTimeTravel } from "@queuert/postgres/test";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";
const User = new EntitySchema<{ email: string; welcomed: boolean }>({
  name: "User",
  tableName: "users",
  properties: { email: { type: "text", primary: true }, welcomed: { type: "boolean" } },
});

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const orm = await MikroORM.init({ clientUrl: url, entities: [User], pool: { min: 0, max: 10 } });
  await orm.em.getConnection().execute(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createMikroOrmStateProvider(orm, { connectionsMax: 10 });
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) =>
    (await orm.em.fork().findOne(User, { email }))?.welcomed === true;
  const timeTravel = createPgTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => orm.close() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ em }: Transaction, email: string) => {
  em.create(User, { email, welcomed: false });
};

export const markWelcomed = async ({ em }: Transaction, email: string) => {
  await em.nativeUpdate(User, { email }, { welcomed: true });
};
