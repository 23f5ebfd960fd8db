// Mistakes of an installation are named.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Db, MongoClient } from "mongodb";
import type { MongoStateAdapter } from "../src/index.ts";
import { aContinuation, aJob, jobs } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

let client: MongoClient;
let database: Db;

beforeEach(async () => {
  const { url, name } = await providedMongodb().createDatabase();
  client = new MongoClient(url, { monitorCommands: true });
  database = client.db(name);
});
afterEach(async () => {
  await database.dropDatabase();
  await client.close();
});

const open = (options: object = {}): Promise<MongoStateAdapter<object, object>> =>
  createMongoStateAdapter({
    stateProvider: createMongodbProvider({ client, databaseName: database.databaseName }),
    ...options,
  });

const migrated = async (options: object = {}): Promise<MongoStateAdapter<object, object>> => {
  const adapter = await open(options);
  await adapter.migrateToLatest();
  return adapter;
};

const types = [{ typeName: "task", leaseMs: 60_000, limit: 5 }];

it("a server that cannot be found, with the reason", async () => {
  for (const [url, reason] of [
    ["mongodb://127.0.0.1:1/", "ECONNREFUSED"],
    [providedMongodb().url.replace(/replicaSet=\w+/u, "replicaSet=other"), "no server was found"],
  ] as const) {
    const lost = new MongoClient(url, { serverSelectionTimeoutMS: 200 });
    const created = createMongoStateAdapter({
      stateProvider: createMongodbProvider({ client: lost }),
    });
    const error = (await created.catch((reason_: unknown) => reason_)) as Error;
    expect(error).toMatchObject({ code: "QUEUERT_MONGODB_UNREACHABLE" });
    expect(error.message).toContain(reason);
    await lost.close();
  }
});

it("a store that was not migrated, until it is migrated", async () => {
  const adapter = await open();
  const code = "QUEUERT_MONGODB_NOT_MIGRATED";
  await expect(adapter.createJobs({ jobs: jobs(1) })).rejects.toMatchObject({ code });
  const acquired = adapter.acquireJobs({ workerId: "w", limit: 1, types });
  await expect(acquired).rejects.toMatchObject({ code });
  expect(await database.listCollections().toArray()).toEqual([]);
  await (await open()).migrateToLatest();
  expect(await adapter.createJobs({ jobs: jobs(1) })).toHaveLength(1);
  await database.collection("queuert_jobs").dropIndex("due");
  const created = (await open()).createJobs({ jobs: jobs(1) });
  await expect(created).rejects.toMatchObject({ code, missing: ["queuert_jobs.due"] });
});

describe("a collection of another application", () => {
  const made: Readonly<Record<string, () => Promise<unknown>>> = {
    "a view": () => database.createCollection("queuert_jobs", { viewOn: "x", pipeline: [] }),
    "a capped one": () => database.createCollection("queuert_jobs", { capped: true, size: 9_999 }),
    "one with a collation": () =>
      database.createCollection("queuert_jobs", { collation: { locale: "en", strength: 1 } }),
    "a time series": () =>
      database.createCollection("queuert_jobs", { timeseries: { timeField: "at" } }),
    "one with a validator": () =>
      database.createCollection("queuert_waits", { validator: { salary: { $gt: 0 } } }),
    "one with other documents": () =>
      database.collection<{ _id: string }>("queuert_jobs").insertOne({ _id: "accountant" }),
  };

  it.each(Object.keys(made))("%s", async (name) => {
    await made[name]?.();
    const migration = (await open()).migrateToLatest();
    await expect(migration).rejects.toMatchObject({ code: "QUEUERT_MONGODB_COLLECTION_TAKEN" });
  });
});

it("an index of Queuert's under another name", async () => {
  await database
    .collection("queuert_jobs")
    .createIndex(
      { leasedUntil: 1 },
      { name: "mine", partialFilterExpression: { status: "running" } },
    );
  const migration = (await open()).migrateToLatest();
  await expect(migration).rejects.toMatchObject({ code: "QUEUERT_MONGODB_INDEX_DRIFT" });
});

it("options that have no meaning", async () => {
  const refused = async (options: object, option: string): Promise<void> => {
    await expect(open(options)).rejects.toMatchObject({ option });
  };
  for (const collectionPrefix of ["", "  ", "$a", "a$", ".a", "system.", "a\0"]) {
    await refused({ collectionPrefix }, "collectionPrefix");
  }
  for (const answerTimeoutMs of [0, -1, Infinity, Number.NaN, "5"]) {
    await refused({ answerTimeoutMs }, "answerTimeoutMs");
  }
  const provider = { client, databaseName: "" };
  expect(() => createMongodbProvider(provider)).toThrow("databaseName");
  expect(() => createMongodbProvider({ client, commitTimeoutMs: Infinity })).toThrow(
    "commitTimeoutMs",
  );
  // Longer than any timer: it must not be due at once.
  const patient = await migrated({ answerTimeoutMs: 2 ** 40 });
  expect(await patient.createJobs({ jobs: jobs(1) })).toHaveLength(1);
});

it("ids that are not valid", async () => {
  for (const id of [undefined, 5, "", {}, Promise.resolve("a"), "a\ud800"]) {
    const adapter = await migrated({ idGenerator: () => id });
    const created = adapter.createJobs({ jobs: jobs(2) });
    await expect(created).rejects.toMatchObject({ option: "idGenerator" });
  }
  const adapter = await migrated({ idGenerator: () => "x".repeat(2_000) });
  const created = adapter.createJobs({ jobs: jobs(2) });
  await expect(created).rejects.toMatchObject({ field: "idGenerator", limit: 1_000 });
});

it("an id that is repeated for a continuation", async () => {
  const ids = ["a", "a"];
  const adapter = await migrated({ idGenerator: () => ids.pop() });
  await adapter.createJobs({ jobs: jobs(1) });
  const [taken] = (await adapter.acquireJobs({ workerId: "w", limit: 1, types })).jobs;
  if (taken === undefined) throw new Error("A job is due");
  const completed = adapter.completeJobs({
    workerId: "w",
    completions: [
      {
        ...{ jobId: "a", leaseVersion: 1 },
        outcome: { kind: "continuation", job: aContinuation(taken.job) },
      },
    ],
  });
  await expect(completed).rejects.toMatchObject({ code: "QUEUERT_MONGODB_DUPLICATE_ID" });
});

it("payloads that are too large for a document, and none below", async () => {
  const code = "QUEUERT_MONGODB_DOCUMENT_TOO_LARGE";
  const text = (megabytes: number): string => JSON.stringify("x".repeat(megabytes * 1_000_000));
  const adapter = await migrated();
  await adapter.createJobs({ jobs: [aJob({ typeName: "other" })] });
  const sent: string[] = [];
  client.on("commandStarted", ({ commandName }) => sent.push(commandName));
  const tooLarge = adapter.createJobs({ jobs: [aJob({ input: text(17) }), aJob()] });
  const bytes = 17_000_002;
  await expect(tooLarge).rejects.toMatchObject({ code, bytes, bytesMax: 16_777_216 });
  expect(sent).toEqual([]);
  const [created] = await adapter.createJobs({ jobs: [aJob({ input: text(9) })] });
  const [taken] = (await adapter.acquireJobs({ workerId: "w", limit: 5, types })).jobs;
  if (taken === undefined) throw new Error("A job is due");
  expect(taken.job.id).toBe(created?.job.id);
  const { id: jobId, leaseVersion } = taken.job;
  const completed = adapter.completeJobs({
    workerId: "w",
    completions: [{ jobId, leaseVersion, outcome: { kind: "output", output: text(9) } }],
  });
  await expect(completed).rejects.toMatchObject({ code, bytes: undefined });
  sent.length = 0;
  const alone = adapter.completeJobs({
    workerId: "w",
    completions: [{ jobId, leaseVersion, outcome: { kind: "output", output: text(17) } }],
  });
  await expect(alone).rejects.toMatchObject({ code, bytes });
  expect(sent).toEqual([]);
});

it("no sequence of two jobs that are too large for one document", async () => {
  const adapter = await migrated();
  const input = JSON.stringify("x".repeat(9_000_000));
  const [created] = await adapter.createJobs({ jobs: [aJob({ input })] });
  const [taken] = (await adapter.acquireJobs({ workerId: "w", limit: 5, types })).jobs;
  if (created === undefined || taken === undefined) throw new Error("A job is due");
  const { id, leaseVersion } = taken.job;
  const job = aContinuation(taken.job, { typeName: "next", input });
  await adapter.completeJobs({
    workerId: "w",
    completions: [{ jobId: id, leaseVersion, outcome: { kind: "continuation", job } }],
  });
  const [sequence] = await adapter.runInTransaction((context) =>
    adapter.getSequences({ context, ids: [id] }),
  );
  expect(sequence?.first.input).toBe(input);
  expect(sequence?.current).toMatchObject({ typeName: "next", input });
  const all = { typeNames: null, statuses: null, rootSequenceId: null, createdFrom: null };
  const page = { createdTo: null, order: "desc", afterOrdinal: null, limit: 9 } as const;
  expect(await adapter.listSequences({ ...all, ...page })).toEqual([sequence]);
});

it("missing rights, without the payload that the server repeats", async () => {
  const adapter = await migrated();
  const admin = client.db("admin");
  await adapter.createJobs({ jobs: jobs(1) });
  const data = {
    failCommands: ["insert"],
    errorCode: 13,
    namespace: `${database.databaseName}.queuert_jobs`,
  };
  await admin.command({ configureFailPoint: "failCommand", mode: { times: 1 }, data });
  const refused = adapter.createJobs({ jobs: [aJob({ input: '"secret"' })] });
  await expect(refused).rejects.toMatchObject({
    ...{ code: "QUEUERT_MONGODB_PERMISSION_DENIED", collection: "queuert_jobs" },
  });
});

it("an emptied store gets a new identity, written once", async () => {
  const [first, second] = [await migrated(), await open()];
  const before = await first.getStoreId();
  await database.collection("queuert_counters").deleteMany({});
  const adapters = [first, second, await open()];
  const storeIds = await Promise.all(adapters.map((adapter) => adapter.getStoreId()));
  expect(new Set(storeIds).size).toBe(1);
  expect(storeIds).not.toContain(before);
});
