// For authors of tests: the suites of `queuert/testing` on a real replica set.
import { randomUUID } from "node:crypto";
import { type Db, MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert/internal";
import {
  extendWithNotify,
  extendWithState,
  type NotifyAdapterHarness,
  type NotifyTestContext,
  type StateAdapterHarness,
  type StateTestContext,
} from "queuert/testing";
import type { TestAPI } from "vitest";
import { createMongoNotifyAdapter } from "./create-mongo-notify-adapter.ts";
import { createMongoStateAdapter, type MongoStateAdapter } from "./create-mongo-state-adapter.ts";
import { pausesDocumentId } from "./pauses.ts";
import { toCollectionNames } from "./database.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import type { MongoStateProvider } from "./state-provider.ts";
import {
  createMongodbProvider,
  type MongoContext,
  type MongoTxContext,
} from "./providers/mongodb.ts";

export interface MongoTestOptions {
  /** A replica set. Each test file gets a database of its own, which is dropped at the end. */
  readonly url: string;
  /** Another copy of the driver. */
  readonly createClient?: ((url: string) => MongoClient | Promise<MongoClient>) | undefined;
  /** A provider over such a client. Default: that of the driver. */
  readonly createProvider?:
    ((client: MongoClient, databaseName: string) => TestProvider) | undefined;
  /** Default: a new name. */
  readonly databaseName?: string | undefined;
}

type TestProvider = MongoStateProvider<MongoTxContext, MongoContext>;

const newDatabaseName = (): string => `queuert_test_${randomUUID().slice(0, 8)}`;

const prefix = "queuert_";

const erase = (adapter: MongoStateAdapter<MongoTxContext, MongoContext>): AnyStateAdapter =>
  // The suites return contexts to the adapter that made them, and never read them.
  adapter as unknown as AnyStateAdapter;

/** Opens an empty store with two clients, as two processes would have. */
export const openStateMongodb = async ({
  url,
  createClient = (clientUrl) => new MongoClient(clientUrl),
  createProvider = (client, name) => createMongodbProvider({ client, databaseName: name }),
  databaseName = newDatabaseName(),
}: MongoTestOptions): Promise<StateAdapterHarness> => {
  const clients = [await createClient(url), await createClient(url)] as const;
  const open = (client: MongoClient): Promise<MongoStateAdapter<MongoTxContext, MongoContext>> =>
    createMongoStateAdapter({ stateProvider: createProvider(client, databaseName) });
  const [first, second] = await Promise.all([open(clients[0]), open(clients[1])]);
  await first.migrateToLatest();
  const database = clients[0].db(databaseName);
  const names = toCollectionNames(prefix);
  // All but the counters, which go on.
  const { counters, ...cleared } = names;
  return {
    stateAdapter: erase(first),
    secondStateAdapter: erase(second),
    isTransactionConflict: (error) => error instanceof MongoTransactionAbortedError,
    poisonTransaction: async (context) => {
      // The context of the adapter above.
      const { session } = context as MongoTxContext;
      const refused = { $set: { _id: "another" } };
      await database
        .collection<{ _id: string }>(names.counters)
        .updateOne({ _id: "ordinal" }, refused, { session })
        // The error is intended: it breaks the transaction.
        .catch(() => undefined);
    },
    beginUsersTransaction: async () => {
      const session = clients[0].startSession();
      session.startTransaction();
      const rollBack = async (): Promise<void> => {
        await session.abortTransaction();
      };
      return { context: { session }, rollBack };
    },
    clear: async () => {
      const deleted = Object.values(cleared).map((each) =>
        database.collection(each).deleteMany({}),
      );
      const pauses = database
        .collection<{ _id: string }>(counters)
        .deleteOne({ _id: pausesDocumentId });
      // Beside each other: every case of the suites waits for them.
      await Promise.all([...deleted, pauses]);
    },
    close: async () => {
      await database.dropDatabase();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
};

/** Runs each test on an empty store. */
export const extendWithStateMongodb = <TContext extends object>(
  it: TestAPI<TContext>,
  options: () => MongoTestOptions,
): TestAPI<TContext & StateTestContext> => extendWithState(it, () => openStateMongodb(options()));

/** Opens two notify adapters with a client each, as two processes would have. */
export const openNotifyMongodb = async ({
  url,
  createClient = (clientUrl) => new MongoClient(clientUrl),
  databaseName = newDatabaseName(),
}: MongoTestOptions): Promise<NotifyAdapterHarness> => {
  const clients = [await createClient(url), await createClient(url)] as const;
  const [first, second] = clients.map((client) => client.db(databaseName)) as [Db, Db];
  const notifyAdapter = await createMongoNotifyAdapter({ provider: { database: first } });
  const secondNotifyAdapter = await createMongoNotifyAdapter({
    provider: { database: second },
  });
  return {
    notifyAdapter,
    secondNotifyAdapter,
    close: async () => {
      await Promise.all([notifyAdapter.close(), secondNotifyAdapter.close()]);
      await first.dropDatabase();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
};

/** Notifies over a capped collection, in a database of the file's own. */
export const extendWithNotifyMongodb = <TContext extends object>(
  it: TestAPI<TContext>,
  options: () => MongoTestOptions,
): TestAPI<TContext & NotifyTestContext> =>
  extendWithNotify(it, () => openNotifyMongodb(options()));
