// If a socket closes while the driver writes to it, the call never settles. These cases choose the call.
// "connections that are reset under load" shows that it happens.
import { providedMongodb } from "@queuert/test-services/provided";
import { type ClientSession, MongoClient } from "mongodb";
import { aJob } from "queuert/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createMongoNotifyAdapter,
  createMongoStateAdapter,
  MongoCommitUnknownError,
  type MongoStateAdapter,
  MongoTransactionAbortedError,
  runMongoTransaction,
} from "../src/index.ts";
import {
  createMongodbProvider,
  type MongoContext,
  type MongoTxContext,
} from "../src/providers/mongodb.ts";
import type { MongoDatabase } from "../src/state-provider.ts";
import type { NotifyCollection, NotifyDatabase, TailableCursor } from "../src/notify-provider.ts";
import { overrideCollections } from "./override-collections.ts";

const never = (): Promise<never> => new Promise(() => undefined);
// No case waits for a lock, and no reply takes so long.
const answerTimeoutMs = 500;

describe("a call that never settles", () => {
  let client: MongoClient;
  let drop: () => Promise<void>;
  let adapter: MongoStateAdapter<MongoTxContext, MongoContext>;
  let left = 0;

  /** Whether this call is the one that never settles. */
  const isNext = (): boolean => left > 0 && left-- === 1;

  beforeAll(async () => {
    const database = await providedMongodb().createDatabase();
    drop = database.drop;
    client = new MongoClient(database.url);
    const provider = createMongodbProvider({ client, databaseName: database.name });
    const { database: answering } = provider;
    const unanswered = overrideCollections(
      answering,
      (collection) => ({
        find: (filter, options) =>
          isNext() ? { toArray: never } : collection.find(filter, options),
        findOneAndUpdate: (...args) => (isNext() ? never() : collection.findOneAndUpdate(...args)),
        insertMany: (...args) => (isNext() ? never() : collection.insertMany(...args)),
        updateMany: (...args) => (isNext() ? never() : collection.updateMany(...args)),
        bulkWrite: (...args) => (isNext() ? never() : collection.bulkWrite(...args)),
      }),
      (...args) => (isNext() ? never() : answering.command(...args)),
    );
    adapter = await createMongoStateAdapter({
      stateProvider: { ...provider, database: unanswered },
      answerTimeoutMs,
    });
    await adapter.migrateToLatest();
  });
  beforeEach(() => {
    left = 0;
  });
  afterAll(async () => {
    await client.close();
    await drop();
  });

  it("is repeated, for each statement of a job", async () => {
    for (let call = 1; ; call++) {
      left = call;
      const [created] = await adapter.createJobs({ jobs: [aJob()] });
      const types = [{ typeName: "task", leaseMs: 60_000, limit: 1 }];
      const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
      expect(jobs.map(({ job }) => job.id)).toEqual([created?.job.id]);
      const [{ job } = { job: undefined }] = jobs;
      const { results } = await adapter.completeJobs({
        workerId: "w",
        completions: [
          {
            jobId: job?.id ?? "",
            leaseVersion: job?.leaseVersion ?? 0,
            outcome: { kind: "output", output: "1" },
          },
        ],
      });
      expect(results.map(({ kind }) => kind)).toEqual(["completed"]);
      // Each statement was the chosen one.
      if (left > 0) {
        expect(call).toBeGreaterThan(3);
        return;
      }
    }
  });

  it("ends its transaction, as a lost connection does", async () => {
    const [created] = await adapter.createJobs({ jobs: [aJob()] });
    const outcome = { kind: "output", output: "1" } as const;
    const completions = [{ jobId: created?.job.id ?? "", leaseVersion: null, outcome }];
    const attempt = () =>
      adapter.runInTransaction((context) =>
        adapter.completeJobs({ context, workerId: null, completions }),
      );
    left = 1;
    const error: unknown = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MongoTransactionAbortedError);
    expect(error).toMatchObject({
      reason: "failover",
      cause: { code: "QUEUERT_MONGODB_NO_ANSWER", waitedMs: answerTimeoutMs },
    });
    expect((await attempt()).results).toMatchObject([{ kind: "completed" }]);
  });

  it("leaves the outcome of a commit unknown", async () => {
    let session: ClientSession | undefined;
    const start = (): ClientSession => {
      session = client.startSession();
      vi.spyOn(session, "commitTransaction").mockImplementation(never);
      return session;
    };
    const committing = runMongoTransaction(start, () => Promise.resolve(), {
      commitTimeoutMs: 100,
    });
    await expect(committing).rejects.toBeInstanceOf(MongoCommitUnknownError);
    expect(session?.hasEnded).toBe(true);
  });
});

describe("a command that never settles", () => {
  let client: MongoClient;
  let drop: () => Promise<void>;
  let name: string;

  beforeEach(async () => {
    const database = await providedMongodb().createDatabase();
    ({ drop, name } = database);
    client = new MongoClient(database.url);
  });
  afterEach(async () => {
    await client.close();
    await drop();
  });

  it("is repeated when an adapter is created, and when it migrates", async () => {
    const provider = createMongodbProvider({ client, databaseName: name });
    const lost = new Set(["hello", "listIndexes", "create", "createIndexes"]);
    const database: MongoDatabase = {
      databaseName: name,
      collection: (collection) => provider.database.collection(collection),
      // Each kind of command once.
      command: (command, options) =>
        lost.delete(Object.keys(command)[0] ?? "")
          ? never()
          : provider.database.command(command, options),
    };
    const stateProvider = { ...provider, database };
    const adapter = await createMongoStateAdapter({ stateProvider, answerTimeoutMs });
    await adapter.migrateToLatest();
    expect([...lost]).toEqual([]);
    expect(await adapter.migrateToLatest()).toEqual({ created: [], foreign: [] });
  });

  it("is repeated by the next publication", async () => {
    const database = client.db(name);
    let isLost = true;
    const adapter = await createMongoNotifyAdapter({
      provider: {
        database: {
          collection: (collection) => database.collection(collection),
          command: (command) => {
            if (!isLost) return database.command(command);
            isLost = false;
            return never();
          },
        },
      },
    });
    const publish = () => adapter.notifyJobSequenceCompleted(["a"]);
    await expect(publish()).rejects.toThrow("Publishing took longer than");
    // The creation of the collection has a longer timeout than the publication.
    await expect.poll(publish, { timeout: 10_000 }).toBeUndefined();
    await adapter.close();
  });

  it("leaves no cursor of a listener open", async () => {
    const database = client.db(name);
    const open = new Set<TailableCursor>();
    let isLost = true;
    const unanswered: NotifyDatabase = {
      command: (command) => database.command(command),
      collection: (collection) => {
        const real: NotifyCollection = database.collection(collection);
        return {
          insertMany: (...args) => real.insertMany(...args),
          find: (...args) => {
            const cursor = real.find(...args);
            const watched: TailableCursor = {
              tryNext: () => (isLost ? never() : cursor.tryNext()),
              close: () => {
                open.delete(watched);
                return cursor.close();
              },
            };
            open.add(watched);
            return watched;
          },
        };
      },
    };
    const adapter = await createMongoNotifyAdapter({ provider: { database: unanswered } });
    const listen = () =>
      adapter.listenJobSequenceCompleted({ sequenceIds: ["a"], onSequenceCompleted: () => {} });
    await expect(listen()).rejects.toThrow("took longer than");
    // The subscription and the cursor have the same timeout.
    await expect.poll(() => open.size).toBe(0);
    isLost = false;
    const stop = await listen();
    expect(open.size).toBe(1);
    await stop();
    await adapter.close();
    expect(open.size).toBe(0);
  });
});
