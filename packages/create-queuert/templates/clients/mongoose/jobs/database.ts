import mongoose from "mongoose";
import type { GetStateAdapterTxContext } from "queuert";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongooseProvider } from "@queuert/mongodb/mongoose";
import { createMongoTimeTravel } from "@queuert/mongodb/test";

const url = process.env["DATABASE_URL"] ?? "mongodb://localhost:27017/app?directConnection=true";
const User = mongoose.model(
  "User",
  new mongoose.Schema<{ _id: string; welcomed: boolean }>({ _id: String, welcomed: Boolean }),
);

/** Your collections, and those of the jobs with a prefix: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  await mongoose.connect(url);
  await User.createCollection();
  const collectionPrefix = name === "test" ? "queuert_test_" : "queuert_";
  const stateProvider = createMongooseProvider({ connection: mongoose.connection });
  const stateAdapter = await createMongoStateAdapter({ stateProvider, collectionPrefix });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) => (await User.findById(email))?.welcomed === true;
  const timeTravel = createMongoTimeTravel(stateAdapter);
  return { stateAdapter, timeTravel, isWelcomed, close: () => mongoose.disconnect() };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ session }: Transaction, email: string) => {
  await User.create([{ _id: email, welcomed: false }], { session });
};

export const markWelcomed = async ({ session }: Transaction, email: string) => {
  await User.updateOne({ _id: email }, { welcomed: true }, { session });
};
