// The number of commands of a batch: the same for a large one as for a small one.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import type { AnyStateAdapter, JobCompletion, NewEntryJob, StateJob } from "queuert/internal";
import { aContinuation, aJob, aKey, jobs } from "queuert/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

let client: MongoClient;
let adapter: AnyStateAdapter;
let drop: () => Promise<void>;
let started: string[] = [];

beforeAll(async () => {
  const database = await providedMongodb().createDatabase();
  ({ drop } = database);
  client = new MongoClient(database.url, { monitorCommands: true });
  client.on("commandStarted", ({ commandName }) => started.push(commandName));
  const stateProvider = createMongodbProvider({ client, databaseName: database.name });
  const created = await createMongoStateAdapter({ stateProvider });
  await created.migrateToLatest();
  adapter = created as unknown as AnyStateAdapter;
});
afterAll(async () => {
  await client.close();
  await drop();
});

const namesOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
  started = [];
  await run();
  return [...started];
};

const create = async (newJobs: readonly NewEntryJob[]): Promise<StateJob[]> =>
  (await adapter.createJobs({ jobs: newJobs })).map(({ job }) => job);

const acquire = async (limit: number): Promise<StateJob[]> => {
  const types = [{ typeName: "task", leaseMs: 60_000, limit }];
  const taken = await adapter.acquireJobs({ workerId: "w", limit, types });
  expect(taken.jobs).toHaveLength(limit);
  return taken.jobs.map(({ job }) => job);
};

const createRunning = async (size: number): Promise<StateJob[]> => {
  await create(jobs(size));
  return acquire(size);
};

const toCompletion = (job: StateJob): JobCompletion => ({
  jobId: job.id,
  leaseVersion: job.leaseVersion,
  outcome: { kind: "output", output: `"${job.id}"` },
});

const complete = (running: readonly StateJob[], context?: object): Promise<unknown> =>
  adapter.completeJobs({ context, workerId: "w", completions: running.map(toCompletion) });

const blocked = (size: number): Promise<StateJob[]> =>
  create(jobs(size, { typeName: "waiting", awaitsBlockers: true }));

const addBlockers = (
  waiting: readonly StateJob[],
  blockers: readonly StateJob[],
): Promise<unknown> =>
  adapter.runInTransaction((context) =>
    adapter.addBlockers({
      context,
      jobs: waiting.map(({ id }, index) => ({
        jobId: id,
        blockerSequenceIds: [blockers[index]?.sequenceId ?? ""],
      })),
    }),
  );

let keyCount = 0;
const newKeys = (size: number): readonly string[] =>
  Array.from({ length: size }, () => `key-${++keyCount}`);

const withKeys = (keys: readonly string[], typeName = "keyed"): NewEntryJob[] =>
  keys.map((key) => aJob({ typeName, deduplication: aKey(key) }));

const createFailed = async (keys: readonly string[]): Promise<StateJob[]> => {
  await create(withKeys(keys, "task"));
  const running = await acquire(keys.length);
  const failures = running.map(({ id, leaseVersion }) => ({
    ...{ jobId: id, leaseVersion, error: "failed" },
  }));
  await adapter.failJobs({ jobs: failures });
  return running;
};

/** By name: prepares a batch of this size. The commands of the returned function are counted. */
const batches: Record<string, (size: number) => Promise<() => Promise<unknown>>> = {
  "an acquisition": async (size) => {
    await create(jobs(size));
    return async () => complete(await acquire(size));
  },
  "a renewal": async (size) => {
    const running = await createRunning(size);
    const leases = running.map(({ id, leaseVersion }) => ({
      ...{ jobId: id, leaseVersion, leaseMs: 60_000 },
    }));
    return async () => {
      await adapter.renewLeases({ leases });
      await complete(running);
    };
  },
  "completions in a transaction": async (size) => {
    const running = await createRunning(size);
    return () => adapter.runInTransaction((context) => complete(running, context));
  },
  continuations: async (size) => {
    const running = await createRunning(size);
    const completions = running.map((job) => ({
      ...toCompletion(job),
      outcome: { kind: "continuation" as const, job: aContinuation(job, { typeName: "next" }) },
    }));
    return () => adapter.completeJobs({ workerId: "w", completions });
  },
  "new blockers": async (size) => {
    const [blockers, waiting] = [await create(jobs(size, { typeName: "b" })), await blocked(size)];
    return () => addBlockers(waiting, blockers);
  },
  "the end of blockers": async (size) => {
    const blockers = await createRunning(size);
    await addBlockers(await blocked(size), blockers);
    return () => complete(blockers);
  },
  "new keys": (size) => {
    const keys = newKeys(size);
    return Promise.resolve(() => create(withKeys(keys)));
  },
  "keys of unfinished sequences": async (size) => {
    const keys = newKeys(size);
    await create(withKeys(keys));
    return () => create(withKeys(keys));
  },
  "keys of finished sequences": async (size) => {
    const keys = newKeys(size);
    await create(withKeys(keys, "task"));
    await complete(await acquire(size));
    return async () => {
      await create(withKeys(keys, "task"));
      await complete(await acquire(size));
    };
  },
  "failed jobs with keys, retried": async (size) => {
    const failed = await createFailed(newKeys(size));
    return async () => {
      const results = await adapter.retryFailedJobs({ ids: failed.map(({ id }) => id) });
      expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(["retried"]));
      await complete(await acquire(size));
    };
  },
};

it.each(Object.keys(batches))("%s", async (name) => {
  const run = async (size: number): Promise<readonly string[]> => {
    const batch = await batches[name]?.(size);
    return namesOf(batch ?? (() => Promise.reject(new Error(name))));
  };
  // On a busy server a transaction may be aborted, and its commands are sent again. A number that grows with
  // the batch is never equal.
  let few: readonly string[];
  let many: readonly string[];
  let rounds = 0;
  do {
    few = await run(2);
    many = await run(60);
  } while (++rounds < 4 && many.length !== few.length);
  expect(few.length).toBeGreaterThan(0);
  expect(many).toEqual(few);
});
