// Calls with thousands of elements take time in proportion to them, and what one job costs does not grow with those before it.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob, aKey } from "queuert/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const timeoutMs = 15_000;
const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

let client: MongoClient;
let databaseName: string;
let adapter: AnyStateAdapter;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await providedMongodb().createDatabase();
  ({ drop, name: databaseName } = database);
  client = new MongoClient(database.url);
  const stateProvider = createMongodbProvider({ client, databaseName });
  const created = await createMongoStateAdapter({ stateProvider });
  await created.migrateToLatest();
  adapter = created as unknown as AnyStateAdapter;
});
afterAll(async () => {
  await client.close();
  await drop();
});

const start = async (jobs: Parameters<typeof aJob>[0][]): Promise<readonly string[]> => {
  const created = await adapter.createJobs({ jobs: jobs.map((job) => aJob(job)) });
  return created.map(({ job }) => job.id);
};

const startWaiting = async (blockerIds: readonly (readonly string[])[]) => {
  const jobIds = await start(
    blockerIds.map(() => ({ awaitsBlockers: true, onBlockerFailure: "fail" as const })),
  );
  const jobs = jobIds.map((jobId, index) => ({
    ...{ jobId, blockerSequenceIds: blockerIds[index] ?? [] },
  }));
  await adapter.runInTransaction((context) => adapter.addBlockers({ context, jobs }));
  return jobIds;
};

const take = async (typeName: string) => {
  const types = [{ typeName, leaseMs: 60_000, limit: 1 }];
  const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
  return jobs.map(({ job: { id, leaseVersion } }) => ({ jobId: id, leaseVersion, error: "no" }));
};

it("starts with keys, the first time and again", { timeout: timeoutMs }, async () => {
  const jobs = range(8_000).map((n) => ({ deduplication: aKey(`key ${n}`) }));
  const ids = await start(jobs);
  expect(new Set(ids).size).toBe(jobs.length);
  expect(await start([...jobs, ...jobs])).toEqual([...ids, ...ids]);
});

it(
  "jobs that fail with those they wait for, and are retried with them",
  { timeout: timeoutMs },
  async () => {
    const roots = await start([{ typeName: "fails" }]);
    const waiting = await startWaiting(range(4_000).map(() => roots));
    const second = await startWaiting(waiting.map((id) => [id]));
    const { dependants } = await adapter.failJobs({ jobs: await take("fails") });
    expect(dependants.length).toBe(8_000);
    const causeOf = new Map(dependants.map(({ id, error }) => [id, error]));
    expect(causeOf.get(second[7] ?? "")).toContain(waiting[7]);
    // Those who wait first, and one whose blocker stays failed.
    const ids = [...second, ...waiting.slice(1), ...roots];
    const retried = await adapter.retryFailedJobs({ ids });
    expect(retried.map(({ kind }) => kind)).toEqual(
      ids.map((_, n) => (n === 0 ? "refused" : "retried")),
    );
    expect(retried[0]).toMatchObject({ reason: "blocker_failed", bySequenceId: waiting[0] });
  },
);

it("a job with thousands of blockers, and a tree of as many", { timeout: timeoutMs }, async () => {
  const [root = ""] = await start([{ typeName: "root" }]);
  const blockers = await start(range(5_000).map(() => ({ rootSequenceId: root, originId: root })));
  await startWaiting([blockers]);
  const deleted = await adapter.runInTransaction((context) =>
    adapter.deleteSequences({ context, rootSequenceIds: [root] }),
  );
  expect(deleted).toMatchObject({ kind: "blocking" });
  expect(deleted.kind === "blocking" ? deleted.edges.length : 0).toBe(5_000);
});

it("who waits for a sequence reads nothing of those who have waited before", async () => {
  const [blocker = ""] = await start([{ typeName: "popular" }]);
  await startWaiting([[blocker]]);
  const waits = client.db(databaseName).collection<{ _id: string }>("queuert_waits");
  const before = range(500).map((n) => ({
    ...{ _id: `m${n}:${blocker}`, sequenceId: blocker, markId: `m${n}` },
    ...{ intent: "waiting", at: new Date() },
  }));
  await waits.insertMany(before);
  const ending = waits.find({ sequenceId: { $in: [blocker] }, intent: "ending" });
  const { executionStats } = (await ending.explain("executionStats")) as {
    executionStats: { totalKeysExamined: number };
  };
  expect(executionStats.totalKeysExamined).toBeLessThan(5);
});
