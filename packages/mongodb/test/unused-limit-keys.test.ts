// A store without keys sends the commands that it sent before there were limits by key, and in the same order.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Document, MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert/internal";
import { jobs } from "queuert/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

let client: MongoClient;
let adapter: AnyStateAdapter;
let drop: () => Promise<void>;
let sent: string[] = [];

beforeAll(async () => {
  const { url, name, ...database } = await providedMongodb().createDatabase();
  ({ drop } = database);
  client = new MongoClient(url, { monitorCommands: true });
  client.on("commandStarted", ({ commandName, command }) => {
    sent.push(`${commandName} ${String((command as Document)[commandName])}`);
  });
  const provider = createMongodbProvider({ client, databaseName: name });
  // A write that waits for a locked document has little time. No document is locked here, but on a busy machine that time may be
  // over all the same, and other commands follow.
  const stateDatabase = overrideCollections(provider.database, (collection) => ({
    updateMany: (filter, update, options) =>
      collection.updateMany(filter, update, { ...options, maxTimeMS: undefined }),
  }));
  const stateProvider = { ...provider, database: stateDatabase };
  const created = await createMongoStateAdapter({ stateProvider });
  await created.migrateToLatest();
  adapter = created as unknown as AnyStateAdapter;
});
afterAll(async () => {
  await client.close();
  await drop();
});

const commandsOf = async <T>(run: () => Promise<T>): Promise<readonly [readonly string[], T]> => {
  sent = [];
  const result = await run();
  return [sent, result];
};

it("sends the same commands", async () => {
  const acquire = (limit: number) =>
    adapter.acquireJobs({
      ...{ workerId: "w", limit, slots: limit },
      types: [{ typeName: "task", leaseMs: 60_000, limit }],
    });
  // The first call looks for the migrations.
  await adapter.createJobs({ jobs: jobs(1) });
  await acquire(1);
  const [created] = await commandsOf(() => adapter.createJobs({ jobs: jobs(2) }));
  expect(created).toEqual([
    "findAndModify queuert_counters",
    "insert queuert_jobs",
    "commitTransaction 1",
  ]);
  const [acquired, { jobs: running }] = await commandsOf(() => acquire(2));
  expect(running).toHaveLength(2);
  expect(acquired).toEqual(["aggregate queuert_jobs", "update queuert_jobs", "find queuert_jobs"]);
  const leases = running.map(({ job }) => ({
    ...{ jobId: job.id, leaseVersion: job.leaseVersion, leaseMs: 60_000 },
  }));
  const [renewed] = await commandsOf(() => adapter.renewLeases({ leases }));
  expect(renewed).toEqual(["find queuert_limits", "update queuert_jobs", "find queuert_jobs"]);
  const completions = leases.map(({ jobId, leaseVersion }) => ({
    ...{ jobId, leaseVersion },
    outcome: { kind: "output", output: "1" } as const,
  }));
  const [completed] = await commandsOf(() => adapter.completeJobs({ workerId: "w", completions }));
  expect(completed).toEqual(["update queuert_jobs", "find queuert_jobs"]);
  const [empty, { nextDueInMs }] = await commandsOf(() => acquire(2));
  expect(nextDueInMs).toBeNull();
  expect(empty).toEqual(["aggregate queuert_jobs", "aggregate queuert_jobs"]);
});
