// Under a limit, acquisitions meet each other and transactions of users. Only a job that another transaction has may be passed
// over: meetings about the limit itself change nothing about the order.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient, MongoServerError } from "mongodb";
import type { AnyStateAdapter, JobLimitKey } from "queuert/internal";
import { jobs } from "queuert/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

const conflict = (): MongoServerError => {
  const message = "Write conflict during plan execution";
  return new MongoServerError({ message, code: 112, errorLabels: ["TransientTransactionError"] });
};

let client: MongoClient;
let databaseName: string;
let drop: () => Promise<void>;
let adapter: AnyStateAdapter;
/** So many acquisitions find that another one has the limit, and so many that another transaction has written a job. */
let conflictsLeft = 0;
let jobConflictsLeft = 0;
/** The due jobs in their order. */
let inOrder: readonly string[] = [];

beforeEach(async () => {
  const created = await providedMongodb().createDatabase();
  ({ name: databaseName, drop } = created);
  client = new MongoClient(created.url);
  [conflictsLeft, jobConflictsLeft] = [0, 0];
  const provider = createMongodbProvider({ client, databaseName });
  const database = overrideCollections(provider.database, (collection) => ({
    findOneAndUpdate: async (filter, update, options) => {
      const isLimit = JSON.stringify(update).includes("lockedAt");
      if (isLimit && conflictsLeft-- > 0) throw conflict();
      return collection.findOneAndUpdate(filter, update, options);
    },
    updateMany: async (filter, update, options) => {
      const isLease = JSON.stringify(update).includes("leaseVersion");
      if (isLease && jobConflictsLeft-- > 0) throw conflict();
      return collection.updateMany(filter, update, options);
    },
  }));
  const opened = await createMongoStateAdapter({ stateProvider: { ...provider, database } });
  await opened.migrateToLatest();
  adapter = opened as unknown as AnyStateAdapter;
  const limit = { name: "task", concurrency: 1, rate: null, declaration: null };
  await adapter.setLimits({ limits: [limit] });
  // A choice at random is the last of all.
  vi.spyOn(Math, "random").mockReturnValue(0.999);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await client.close();
  await drop();
});

/** Creates the due jobs, in their order. */
const create = async (limitKey?: JobLimitKey): Promise<void> => {
  const all = await adapter.createJobs({
    jobs: jobs(20).map((job, place) => ({ ...job, typeName: "task", priority: -place, limitKey })),
  });
  inOrder = all.map(({ job }) => job.id);
};

const acquireOne = async (): Promise<string | undefined> => {
  const types = [{ typeName: "task", leaseMs: 60_000, limit: 1 }];
  const { jobs: acquired } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
  return acquired[0]?.job.id;
};

/** The place of the job that is acquired while a transaction has the first ones. */
const placeAcquiredBeside = async (count: number): Promise<number> => {
  await create();
  await using session = client.startSession();
  session.startTransaction();
  const stored = client.db(databaseName).collection<{ _id: string }>("queuert_jobs");
  for (const _id of inOrder.slice(0, count)) {
    await stored.updateOne({ _id }, { $set: { heldByTest: true } }, { session });
  }
  const acquired = await acquireOne();
  await session.abortTransaction();
  return inOrder.indexOf(acquired ?? "");
};

it("the first job is acquired after conflicts about the limit", async () => {
  await create();
  conflictsLeft = 5;
  expect(inOrder.indexOf((await acquireOne()) ?? "")).toBe(0);
  expect(conflictsLeft).toBeLessThan(0);
});

it.each([1, 2])(
  "the next job is acquired beside %i that another transaction has",
  async (count) => {
    expect(await placeAcquiredBeside(count)).toBe(count);
  },
);

it("some job is acquired beside many that another transaction has", async () => {
  expect(await placeAcquiredBeside(10)).toBe(19);
});

it("the first job of a key is acquired after a conflict about it", async () => {
  await create({ limitName: "task", key: "k", cost: 1 });
  jobConflictsLeft = 1;
  expect(inOrder.indexOf((await acquireOne()) ?? "")).toBe(0);
  expect(jobConflictsLeft).toBeLessThan(0);
});
