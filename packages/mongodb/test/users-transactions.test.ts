// Starts in a transaction that the user begins and ends with the driver alone. The driver decides whether a command is part of the
// transaction when it writes the command to a connection. After an abort the command would be stored by itself.
import { providedMongodb } from "@queuert/test-services/provided";
import { type ClientSession, type Db, MongoClient } from "mongodb";
import { MongoClient as MongoClient6 } from "mongodb-6";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };
const job = { typeName: "task", input: null } as const;
const jobTypeDefinitions = defineUnionJobTypes<{
  task: { entry: true; input: null; output: null };
}>();

describe.each([
  ["7", (url: string) => new MongoClient(url)],
  ["6", (url: string) => new MongoClient6(url) as unknown as MongoClient],
])("driver %s", (_version, createClient) => {
  let client: MongoClient;
  let database: Db;
  let queuert: Awaited<ReturnType<typeof open>>;
  let session: ClientSession;

  const open = async () => {
    const stateProvider = createMongodbProvider({ client, databaseName: database.databaseName });
    const stateAdapter = await createMongoStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    return createQueuert({ stateAdapter, jobTypeDefinitions });
  };
  const count = async (): Promise<number> => (await queuert.listJobs()).items.length;
  const start = () => queuert.startJobSequence({ session, ...job });

  beforeEach(async () => {
    const { url, name } = await providedMongodb().createDatabase();
    client = createClient(url);
    database = client.db(name);
    queuert = await open();
    session = client.startSession();
  });
  afterEach(async () => {
    await session.endSession();
    await queuert.close();
    await database.dropDatabase();
    await client.close();
  });

  it.each(["empty", "begun on the server"])(
    "a start that is not awaited is never stored: a transaction that is %s",
    async (kind) => {
      for (let round = 0; round < 20; round++) {
        session.startTransaction();
        if (kind === "begun on the server")
          await database.collection("own").insertOne({}, { session });
        // The start resolves if its command reaches the server before the abort.
        await Promise.allSettled([start(), session.abortTransaction()]);
      }
      expect(await count()).toBe(0);
    },
  );

  it("a start that is not awaited does not join the session's next transaction", async () => {
    session.startTransaction();
    const starting = start();
    const refused = expect(starting).rejects.toMatchObject(refusal);
    await session.abortTransaction();
    session.startTransaction();
    await refused;
    await start();
    await session.commitTransaction();
    expect(await count()).toBe(1);
  });

  it("a session refuses writes outside a transaction, and after its end", async () => {
    await expect(start()).rejects.toMatchObject(refusal);
    await session.endSession();
    await expect(start()).rejects.toMatchObject(refusal);
    expect(await count()).toBe(0);
  });

  it("reads with a session outside a transaction are reads of the store", async () => {
    session.startTransaction();
    const { id } = await start();
    await session.commitTransaction();
    expect(await queuert.getJobSequence({ session, id })).toMatchObject({ id });
  });

  it("a session of another client is named, and one of another copy of the driver", async () => {
    const { url } = await providedMongodb().createDatabase();
    for (const isOtherDriver of [false, true]) {
      const other =
        isOtherDriver === client instanceof MongoClient6
          ? new MongoClient(url)
          : (new MongoClient6(url) as unknown as MongoClient);
      const foreign = other.startSession();
      foreign.startTransaction();
      const started = queuert.startJobSequence({ session: foreign, ...job });
      await expect(started).rejects.toMatchObject({
        code: "QUEUERT_MONGODB_FOREIGN_SESSION",
        isOtherDriver,
        message: expect.stringContaining("mongoose.connection.getClient()"),
      });
      await foreign.endSession();
      await other.close();
    }
  });
});
