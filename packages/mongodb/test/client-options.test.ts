// A client's options for values and concerns belong to the application: jobs read the same with all of them.
// Numbers as BSON objects or bigints would compare wrongly, and leases would count as lost.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { MongoClient as MongoClient6 } from "mongodb-6";
import type { StateJob } from "queuert/internal";
import { aContinuation, aJob, aKey, jobs } from "queuert/testing";
import { describe, expect, it } from "vitest";
import { createMongoNotifyAdapter, createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const drivers = [
  ["driver 7", (url: string, options: MongoClientOptions) => new MongoClient(url, options)],
  [
    "driver 6",
    // As in the suites of that driver.
    (url: string, options: MongoClientOptions) =>
      new MongoClient6(url, options as object) as unknown as MongoClient,
  ],
] as const;

const options: Readonly<Record<string, MongoClientOptions>> = {
  "promoteValues: false": { promoteValues: false },
  "promoteLongs: false": { promoteLongs: false },
  useBigInt64: { useBigInt64: true },
  raw: { raw: true },
  fieldsAsRaw: { fieldsAsRaw: { input: true, blockers: true } },
  bsonRegExp: { bsonRegExp: true },
  ignoreUndefined: { ignoreUndefined: true },
  serializeFunctions: { serializeFunctions: true },
  forceServerObjectId: { forceServerObjectId: true },
  pkFactory: { pkFactory: { createPk: () => Math.random() } },
  "readConcern: linearizable": { readConcern: { level: "linearizable" } },
  "writeConcern: 0": { writeConcern: { w: 0 } },
  "no retries": { retryWrites: false, retryReads: false },
  "maxPoolSize: 2": { maxPoolSize: 2 },
  "directConnection, zlib": { directConnection: true, compressors: ["zlib"] },
};

const hourMs = 3_600_000;
const toLease = ({ id, leaseVersion }: StateJob) => ({ jobId: id, leaseVersion });

describe.each(drivers)("%s", (_, createClient) => {
  it.each(Object.keys(options))("%s", async (name) => {
    const database = await providedMongodb().createDatabase();
    const client = createClient(database.url, options[name] ?? {});
    const provider = createMongodbProvider({ client, databaseName: database.name });
    const adapter = await createMongoStateAdapter({ stateProvider: provider });
    await adapter.migrateToLatest();
    expect(await adapter.migrateToLatest()).toEqual({ created: [], foreign: [] });
    const acquire = async (typeName: string) =>
      adapter.acquireJobs({
        ...{ workerId: "w", limit: 3, types: [{ typeName, leaseMs: 60_000, limit: 3 }] },
      });
    await adapter.runInTransaction((context) => adapter.createJobs({ context, jobs: jobs(2) }));
    const keyed = [aJob({ deduplication: aKey("k"), schedule: { afterMs: hourMs } })];
    const [first] = await adapter.createJobs({ jobs: keyed });
    const [again] = await adapter.createJobs({ jobs: keyed });
    expect(again).toEqual({ job: first?.job, deduplicated: true });

    const { jobs: taken, nextDueInMs } = await acquire("task");
    expect(nextDueInMs).toBeGreaterThan(hourMs - 60_000);
    expect(nextDueInMs).toBeLessThanOrEqual(hourMs);
    const [ending, going] = taken.map(({ job }) => job);
    if (ending === undefined || going === undefined) throw new Error("Two jobs are due");
    expect(ending).toMatchObject({ ordinal: 1, attempt: 1, leaseVersion: 1, input: going.input });
    expect(ending.leasedUntil).toBeInstanceOf(Date);
    const held = await adapter.renewLeases({ leases: [{ ...toLease(going), leaseMs: 60_000 }] });
    expect(held).toEqual([{ kind: "held" }]);

    const [waiting] = await adapter.createJobs({
      jobs: [aJob({ typeName: "waiting", awaitsBlockers: true })],
    });
    const blockers = { jobId: waiting?.job.id ?? "", blockerSequenceIds: [ending.id] };
    await adapter.runInTransaction((context) => adapter.addBlockers({ context, jobs: [blockers] }));
    const next = aContinuation(going, { typeName: "next" });
    const { results, unblocked } = await adapter.completeJobs({
      workerId: "w",
      completions: [
        { ...toLease(ending), outcome: { kind: "output", output: "[1]" } },
        { ...toLease(going), outcome: { kind: "continuation", job: next } },
      ],
    });
    expect(results.map(({ kind }) => kind)).toEqual(["completed", "completed"]);
    expect(unblocked.map(({ id }) => id)).toEqual([waiting?.job.id]);
    const { jobs: released } = await acquire("waiting");
    expect(released[0]?.blockers[0]?.current.output).toBe("[1]");
    const summary = await adapter.summarize({ runningLongMs: 0 });
    expect(summary.counts.find(({ typeName }) => typeName === "next")?.count).toBe(1);
    expect(typeof summary.oldestReady[0]?.ageMs).toBe("number");

    const notifyAdapter = await createMongoNotifyAdapter({ provider });
    const heard = new Promise((resolve) => {
      void notifyAdapter
        .listenJobSequenceCompleted({ sequenceIds: ["a"], onSequenceCompleted: resolve })
        .then(() => notifyAdapter.notifyJobSequenceCompleted(["a"]));
    });
    expect(await heard).toBe("a");
    await notifyAdapter.close();
    await client.close();
    await database.drop();
  });
});
