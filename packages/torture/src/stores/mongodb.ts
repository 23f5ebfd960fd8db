import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider, type MongoTxContext } from "@queuert/mongodb/mongodb";
import { MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";
import type { Store } from "./store.ts";

const rowsOf = (client: MongoClient) => client.db().collection<UserRow>("user_rows");

const open: Store["open"] = async (url, connectionsMax, answerTimeoutMs = 4_000) => {
  const client = new MongoClient(url, {
    maxPoolSize: connectionsMax,
    socketTimeoutMS: answerTimeoutMs,
    serverSelectionTimeoutMS: answerTimeoutMs,
  });
  const stateProvider = createMongodbProvider({ client });
  const adapter = await createMongoStateAdapter({ stateProvider }).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  return {
    // Of its contexts nothing is used here but by `writeRow`.
    state: adapter as unknown as AnyStateAdapter,
    migrate: async () => void (await adapter.migrateToLatest()),
    writeRow: async (context, row) => {
      const { session } = context as MongoTxContext;
      await rowsOf(client).insertOne({ ...row }, { session });
    },
    exhaust: async (ms) => {
      // A command of servers that run for tests.
      const hold = () => client.db("admin").command({ sleep: 1, millis: ms, lock: "none" });
      await Promise.all(Array.from({ length: connectionsMax }, hold));
    },
    measure: async () => {
      const { storageSize, indexSize } = await client.db().stats();
      return { storedBytes: Number(storageSize) + Number(indexSize), deadRows: null };
    },
    readRows: () => rowsOf(client).find().toArray(),
    listConnected: async (processes) => {
      const names = processes.map(({ name }) => name);
      const connected = await client
        .db("admin")
        .aggregate<{ readonly appName: string }>([
          { $currentOp: { allUsers: true, idleConnections: true } },
          { $match: { appName: { $in: names } } },
        ])
        .toArray();
      return connected.map(({ appName }) => appName);
    },
    close: () => client.close(),
  };
};

const prepare = async (url: string): Promise<void> => {
  const client = new MongoClient(url);
  try {
    const stateProvider = createMongodbProvider({ client });
    await (await createMongoStateAdapter({ stateProvider })).migrateToLatest();
    await client.db().createCollection("user_rows");
  } finally {
    await client.close();
  }
};

export const store: Store = { prepare, open };
