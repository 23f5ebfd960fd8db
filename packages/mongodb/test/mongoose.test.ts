// Documents of mongoose and jobs in one transaction, whichever side begins it.
import { providedMongodb } from "@queuert/test-services/provided";
import mongoose, { type ClientSession, type Connection } from "mongoose";
import { createQueuert, defineUnionJobTypes } from "queuert";
import {
  describeStateSuites,
  extendWithCommon,
  extendWithState,
  stateSuites,
  type StateAdapterHarness,
} from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongooseProvider } from "../src/providers/mongoose.ts";

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

// The other suites meet the same provider as with the driver itself.
describe("contexts and transactions", () => {
  const openHarness = async (): Promise<StateAdapterHarness> => {
    const first = await open();
    const second = await mongoose.createConnection(first.url).asPromise();
    const secondStateAdapter = await createMongoStateAdapter({
      stateProvider: createMongooseProvider({
        connection: second,
        databaseName: first.connection.name,
      }),
    });
    return {
      stateAdapter: first.stateAdapter as never,
      secondStateAdapter: secondStateAdapter as never,
      beginUsersTransaction: async () => {
        const session = await first.connection.startSession();
        session.startTransaction();
        const rollBack = (): Promise<void> => session.abortTransaction();
        return { context: { session }, rollBack };
      },
      poisonTransaction: async (context) => {
        const { session } = context as { session: ClientSession };
        const counters = first.connection.collection<{ _id: string }>("queuert_counters");
        await counters
          .updateOne({ _id: "ordinal" }, { $set: { _id: "another" } }, { session })
          .catch(() => undefined);
      },
      close: async () => {
        await first.connection.dropDatabase();
        await Promise.all([first.connection.close(), second.close()]);
      },
    };
  };
  const { provideContext, runInTransaction, isInTransaction } = stateSuites;
  describeStateSuites([...provideContext, ...isInTransaction, ...runInTransaction], {
    it: extendWithState(extendWithCommon(it), openHarness),
  });
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
