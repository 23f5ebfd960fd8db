// Servers and transactions that are refused because a guarantee would not hold, and the index of the
// acquisition.
import { startMongodb } from "@queuert/test-services";
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { jobs } from "queuert/testing";
import { describe, expect, it } from "vitest";
import {
  createMongoStateAdapter,
  MongoServerTooOldError,
  MongoStandaloneServerError,
  type MongoStateAdapter,
  MongoWriteConcernError,
} from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import type { MongoContext, MongoTxContext } from "../src/providers/mongodb.ts";

const withAdapter = async (
  run: (
    adapter: MongoStateAdapter<MongoTxContext, MongoContext>,
    client: MongoClient,
    name: string,
  ) => Promise<void>,
  clientOptions: MongoClientOptions = {},
): Promise<void> => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url, { monitorCommands: true, ...clientOptions });
  try {
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    const adapter = await createMongoStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    await run(adapter, client, name);
  } finally {
    await client.close();
    await drop();
  }
};

describe("createMongoStateAdapter", () => {
  const answering = async (hello: object): Promise<unknown> => {
    const client = new MongoClient(providedMongodb().url);
    const provider = createMongodbProvider({ client });
    const { database } = provider;
    const refusing = Object.assign(Object.create(database) as typeof database, {
      command: () => Promise.resolve(hello),
    });
    const created = createMongoStateAdapter({ stateProvider: { ...provider, database: refusing } });
    const error = await created.catch((reason: unknown) => reason);
    await client.close();
    return error;
  };

  it("refuses a standalone server", async () => {
    const server = await startMongodb({ standalone: true });
    const client = new MongoClient(server.url);
    const stateProvider = createMongodbProvider({ client });
    const created = createMongoStateAdapter({ stateProvider });
    await expect(created).rejects.toBeInstanceOf(MongoStandaloneServerError);
    await client.close();
    await server.close();
  });

  it("refuses a server that is too old", async () => {
    const hello = { maxWireVersion: 9, setName: "rs0" };
    expect(await answering(hello)).toBeInstanceOf(MongoServerTooOldError);
  });
});

describe("write concern", () => {
  it.each([1, 2])("%i is refused in a transaction of the user's", (w) =>
    withAdapter(async (adapter, client) => {
      const session = client.startSession();
      session.startTransaction({ writeConcern: { w } });
      const created = adapter.createJobs({ context: { session }, jobs: jobs(1) });
      await expect(created).rejects.toBeInstanceOf(MongoWriteConcernError);
      await session.abortTransaction();
      await session.endSession();
    }),
  );

  it("1 of the client is refused if the transaction has no own concern", () => {
    const refused = async (
      adapter: MongoStateAdapter<MongoTxContext, MongoContext>,
      client: MongoClient,
      name: string,
    ): Promise<void> => {
      const session = client.startSession();
      session.startTransaction();
      const created = adapter.createJobs({ context: { session }, jobs: jobs(1) });
      await expect(created).rejects.toBeInstanceOf(MongoWriteConcernError);
      await session.abortTransaction();
      await session.endSession();
      expect(await client.db(name).collection("queuert_jobs").countDocuments()).toBe(0);
    };
    return withAdapter(refused, { w: 1 });
  });

  it("is majority, in spite of the client's options", () =>
    withAdapter(async (adapter, client) => {
      const concerns: unknown[] = [];
      client.on("commandStarted", ({ commandName, command }) => {
        if (commandName === "insert") concerns.push(command["writeConcern"]);
      });
      await adapter.createJobs({ jobs: jobs(1) });
      expect(concerns).toEqual([{ w: "majority" }]);
    }));
});

describe("acquisitions", () => {
  it("read few keys, however many jobs are scheduled or finished", () =>
    withAdapter(async (adapter, client, name) => {
      const later = { afterMs: 3_600_000 };
      await adapter.createJobs({ jobs: jobs(2_000, { priority: 9, schedule: later }) });
      await adapter.createJobs({ jobs: jobs(20) });
      const collection = client.db(name).collection("queuert_jobs");
      const plan = await collection
        .find({
          typeName: "task",
          status: "pending",
          $expr: { $lte: ["$scheduledAt", "$$NOW"] },
        })
        .sort({ priority: -1, scheduledAt: 1, ordinal: 1 })
        .limit(10)
        .explain("executionStats");
      const { totalKeysExamined, totalDocsExamined } = plan["executionStats"] as {
        totalKeysExamined: number;
        totalDocsExamined: number;
      };
      expect(JSON.stringify(plan)).toContain('"indexName":"due"');
      expect(totalKeysExamined).toBeLessThan(15);
      expect(totalDocsExamined).toBe(10);
    }));
});
