// Batches in one message: larger ones are sent by the driver, and a refused document is an error.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
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
