// All suites over a connection of mongoose. Documents of mongoose and jobs in one transaction, whichever side begins it.
import { providedMongodb } from "@queuert/test-services/provided";
import type { MongoClient } from "mongodb";
import mongoose, { type Connection } from "mongoose";
import { createQueuert, defineUnionJobTypes } from "queuert";
import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  stateAdapterTestSuite,
} from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongooseProvider } from "../src/providers/mongoose.ts";
import { extendWithStateMongodb } from "../src/testing.ts";

const rolledBack = new Error("rolled back on purpose");
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };
const job = { typeName: "greet", input: "Ada" } as const;

const open = async () => {
  const { url, name } = await providedMongodb().createDatabase();
  const connection = await mongoose.createConnection(url, { dbName: name }).asPromise();
  const stateAdapter = await createMongoStateAdapter({
    stateProvider: createMongooseProvider({ connection }),
  });
  await stateAdapter.migrateToLatest();
  return { url, connection, stateAdapter };
};

/** Of mongoose's copy of the driver. */
const connections = new Map<object, Connection>();

describe("the contract", () => {
  const withState = extendWithStateMongodb(extendWithCommon(it), () => ({
    url: providedMongodb().url,
    createClient: async (url) => {
      const connection = await mongoose.createConnection(url).asPromise();
      const client = connection.getClient() as unknown as MongoClient;
      connections.set(client, connection);
      return client;
    },
    createProvider: (client, databaseName) =>
      createMongooseProvider({ connection: connections.get(client) as Connection, databaseName }),
  }));
  stateAdapterTestSuite({ it: withState });
  behaviourTestSuite({ it: extendWithNotifyInProcess(withState) });
});

const definePerson = (connection: Connection) =>
  connection.model("Person", new mongoose.Schema<{ name: string }>({ name: String }));

describe("documents of mongoose", () => {
  let connection: Connection;
  let queuert: Awaited<ReturnType<typeof openQueuert>>;
  let Person: ReturnType<typeof definePerson>;

  const openQueuert = async () => {
    const opened = await open();
    connection = opened.connection;
    Person = definePerson(connection);
    await Person.createCollection();
    return createQueuert({
      stateAdapter: opened.stateAdapter,
      jobTypeDefinitions: defineUnionJobTypes<{
        greet: { entry: true; input: string; output: null };
      }>(),
    });
  };
  beforeEach(async () => {
    queuert = await openQueuert();
  });
  afterEach(async () => {
    await queuert.close();
    await connection.dropDatabase();
    await connection.close();
  });
  const counts = async (): Promise<readonly number[]> => [
    await Person.countDocuments(),
    (await queuert.listJobs()).items.length,
  ];

  it("a start commits and rolls back with documents", async () => {
    const start = (ending: () => void) =>
      connection.transaction(async (session) => {
        await Person.create([{ name: "Ada" }], { session });
        await queuert.startJobSequence({ session, ...job });
        ending();
      });
    await start(() => undefined);
    const failing = start(() => {
      throw rolledBack;
    });
    await expect(failing).rejects.toBe(rolledBack);
    expect(await counts()).toEqual([1, 1]);
  });

  it("a completion commits and rolls back with documents", async () => {
    const { id } = await queuert.startJobSequence({ ...job, autocommit: true });
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "greet",
        retryConfig: { initialDelayMs: 1, maxDelayMs: 1 },
        process: async ({ job: { attempt, input }, complete }) =>
          complete(async ({ session }) => {
            await Person.create([{ name: `${input} ${attempt}` }], { session });
            if (attempt === 1) throw rolledBack;
            return null;
          }),
      })
      .start();
    await queuert.waitForJobSequenceCompletion({ typeName: "greet", id, timeoutMs: 20_000 });
    await worker.stop();
    expect((await Person.find()).map(({ name }) => name)).toEqual(["Ada 2"]);
  });

  it("a session whose transaction has ended is refused", async () => {
    const session = await connection.startSession();
    session.startTransaction();
    await queuert.startJobSequence({ session, ...job });
    await session.commitTransaction();
    await expect(queuert.startJobSequence({ session, ...job })).rejects.toMatchObject(refusal);
    await session.endSession();
    expect(await counts()).toEqual([0, 1]);
  });
});

it("a connection that is not connected yet is refused, with the remedy", () => {
  expect(() => createMongooseProvider({ connection: mongoose.createConnection() })).toThrow(
    "await `mongoose.connect(…)` first",
  );
  expect(() => createMongooseProvider({ connection: mongoose as never })).toThrow(
    expect.objectContaining({ code: "QUEUERT_INVALID_OPTION" }),
  );
});
