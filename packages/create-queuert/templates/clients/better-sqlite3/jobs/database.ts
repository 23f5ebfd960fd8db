import type { GetStateAdapterTxContext } from "queuert";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { createSqliteTimeTravel } from "@queuert/sqlite/test";

/** Your tables and those of the jobs, in one file: `app.db`, and `test.db` for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const stateProvider = await createBetterSqlite3Provider({ filename: `${name}.db` });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  await stateAdapter.runInTransaction(async ({ client }) => {
    client.exec("CREATE TABLE IF NOT EXISTS users (email TEXT PRIMARY KEY, welcomed INTEGER)");
  });
  const isWelcomed = (email: string) =>
    stateAdapter.runInTransaction(async ({ client }) => {
      const user = client.prepare("SELECT welcomed FROM users WHERE email = ?").get(email);
      return (user as { welcomed: number } | undefined)?.welcomed === 1;
    });
  const timeTravel = createSqliteTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => stateProvider.close() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ client }: Transaction, email: string) => {
  client.prepare("INSERT INTO users VALUES (?, 0)").run(email);
};

export const markWelcomed = async ({ client }: Transaction, email: string) => {
  client.prepare("UPDATE users SET welcomed = 1 WHERE email = ?").run(email);
};
