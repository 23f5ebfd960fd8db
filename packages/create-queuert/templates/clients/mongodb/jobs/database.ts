import { MongoClient } from "mongodb";
import type { GetStateAdapterTxContext } from "queuert";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { createMongoTimeTravel } from "@queuert/mongodb/test";

const url = process.env["DATABASE_URL"] ?? "mongodb://localhost:27017/app?directConnection=true";
const client = new MongoClient(url);
const users = client.db().collection<{ _id: string; welcomed: boolean }>("users");

/** Your collections, and those of the jobs with a prefix: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const collectionPrefix = name === "test" ? "queuert_test_" : "queuert_";
  const stateProvider = createMongodbProvider({ client });
  const stateAdapter = await createMongoStateAdapter({ stateProvider, collectionPrefix });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) =>
    (await users.findOne({ _id: email }))?.welcomed === true;
  const timeTravel = createMongoTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => client.close() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ session }: Transaction, email: string) => {
  await users.insertOne({ _id: email, welcomed: false }, { session });
};

export const markWelcomed = async ({ session }: Transaction, email: string) => {
  await users.updateOne({ _id: email }, { $set: { welcomed: true } }, { session });
};
