// Retention beside trees that must stay, however many finished jobs these have.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { aJob } from "queuert/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMongoStateAdapter, type MongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

let client: MongoClient;
let adapter: MongoStateAdapter<object, object>;
let commands = 0;

beforeAll(async () => {
  const { url, name } = await providedMongodb().createDatabase();
  client = new MongoClient(url, { monitorCommands: true });
  client.on("commandStarted", () => commands++);
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  adapter = await createMongoStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
});
afterAll(() => client.close());

const complete = async (typeName: string, count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 2_000) {
    const limit = Math.min(left, 2_000);
    const types = [{ typeName, leaseMs: 60_000, limit }];
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit, types });
    const completions = jobs.map(({ job: { id: jobId, leaseVersion } }) => ({
      ...{ jobId, leaseVersion, outcome: { kind: "output" as const, output: "1" } },
    }));
    await adapter.completeJobs({ workerId: "w", completions });
  }
};

const deleteFinished = (limit: number): Promise<number> =>
  adapter.deleteFinishedSequences({ completedForMs: 0, failedForMs: 0, cancelledForMs: 0, limit });

it(
  "passes over an unfinished tree that has most of the finished jobs",
  { timeout: 30_000 },
  async () => {
    const [root] = await adapter.createJobs({ jobs: [aJob({ typeName: "goes on" })] });
    const { id } = root?.job ?? { id: "" };
    const count = 12_000;
    for (let made = 0; made < count; made += 4_000) {
      const ofTree = { typeName: "finished", rootSequenceId: id, originId: id };
      await adapter.createJobs({ jobs: Array.from({ length: 4_000 }, () => aJob(ofTree)) });
    }
    await complete("finished", count);
    await adapter.createJobs({
      jobs: Array.from({ length: 30 }, () => aJob({ typeName: "alone" })),
    });
    await complete("alone", 30);
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(await deleteFinished(10)).toBe(10);
    const before = commands;
    expect(await deleteFinished(10)).toBe(10);
    // It begins where the call before has stopped.
    expect(commands - before).toBeLessThan(12);
    expect(await deleteFinished(100)).toBe(10);
    expect(await deleteFinished(100)).toBe(0);

    // Jobs that were kept are found when they are old enough.
    await adapter.createJobs({
      jobs: Array.from({ length: 5 }, () => aJob({ typeName: "alone" })),
    });
    await complete("alone", 5);
    await complete("goes on", 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await deleteFinished(1)).toBe(count + 1);
    expect(await deleteFinished(2)).toBe(2);
    expect(await deleteFinished(9)).toBe(3);
  },
);
