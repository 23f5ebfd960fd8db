// Batches in one message: larger ones are sent by the driver, and a refused document is an error.
import { providedMongodb } from "@queuert/test-services/provided";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { aJob, jobs } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMongoStateAdapter, MongoDuplicateIdError } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const { url, name, drop } = await providedMongodb().createDatabase();
const client = new MongoClient(url, { monitorCommands: true });
const stateProvider = createMongodbProvider({ client, databaseName: name });
const collection = client.db(name).collection<{ _id: string }>("queuert_jobs");

beforeAll(async () => {
  await (await createMongoStateAdapter({ stateProvider })).migrateToLatest();
});
afterAll(async () => {
  await client.close();
  await drop();
});

describe("a batch of jobs", () => {
  it.each([
    // Three bytes each: the message has the largest size that is allowed.
    ["just fits into a message", "\u20AC".repeat(1_300_000)],
    ["is larger than a message", "x".repeat(6_000_000)],
  ])("that %s is stored", async (_, text) => {
    const adapter = await createMongoStateAdapter({ stateProvider });
    const input = JSON.stringify(text);
    const created = await adapter.createJobs({ jobs: jobs(3, { input }) });
    const ids = created.map(({ job }) => job.id);
    const stored = await adapter.getJobs({ ids });
    expect(stored.map((job) => job?.input === input)).toEqual([true, true, true]);
  });

  it.each(["by itself", "in a transaction"])("with an id twice is refused %s", async (where) => {
    let count = 0;
    const idGenerator = (): string => `${where} ${Math.min(count++, 1)}`;
    const adapter = await createMongoStateAdapter({ stateProvider, idGenerator });
    const newJobs = [aJob(), aJob(), aJob()];
    const created =
      where === "by itself"
        ? adapter.createJobs({ jobs: newJobs })
        : adapter.runInTransaction((context) => adapter.createJobs({ context, jobs: newJobs }));
    await expect(created).rejects.toBeInstanceOf(MongoDuplicateIdError);
    expect(await collection.countDocuments({ _id: `${where} 0` })).toBe(0);
  });
});

describe("a start of one job", () => {
  /** The server answers the next such command for this database so. */
  const answerOnce = (command: string, collectionName: string, fault: object) =>
    client.db("admin").command({
      configureFailPoint: "failCommand",
      mode: { times: 1 },
      data: { failCommands: [command], namespace: `${name}.${collectionName}`, ...fault },
    });

  it("is recorded by the server for no repetition of the driver", async () => {
    const adapter = await createMongoStateAdapter({ stateProvider });
    await adapter.createJobs({ jobs: [aJob()] });
    const sent: unknown[] = [];
    const listener = ({ commandName, command }: CommandStartedEvent): void => {
      sent.push([commandName, command["txnNumber"]]);
    };
    client.on("commandStarted", listener);
    await adapter.createJobs({ jobs: [aJob()] });
    client.off("commandStarted", listener);
    expect(sent).toEqual([
      ["findAndModify", undefined],
      ["insert", undefined],
    ]);
  });

  it.each([
    ["the connection is lost", { closeConnection: true }],
    // Stored by the primary, whose reply then reports that it is shutting down.
    ["no majority has it yet", { writeConcernError: { code: 91, errmsg: "shutting down" } }],
  ])("is repeated by the store if %s", async (_, fault) => {
    const adapter = await createMongoStateAdapter({ stateProvider });
    const countBefore = await collection.countDocuments();
    await answerOnce("insert", "queuert_jobs", fault);
    const [created] = await adapter.createJobs({ jobs: [aJob()] });
    expect(await collection.countDocuments()).toBe(countBefore + 1);
    expect(await adapter.getJobs({ ids: [created?.job.id ?? ""] })).toMatchObject([
      { id: created?.job.id },
    ]);
  });

  it("in a transaction gets its ordinal, although the connection of the counter is lost", async () => {
    const adapter = await createMongoStateAdapter({ stateProvider });
    await answerOnce("findAndModify", "queuert_counters", { closeConnection: true });
    const created = await adapter.runInTransaction((context) =>
      adapter.createJobs({ context, jobs: [aJob()] }),
    );
    expect(created).toMatchObject([{ deduplicated: false }]);
  });
});
