// An acquisition under keys reads the jobs of its keys, and then writes. Each test lets another call come between.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Db, MongoClient } from "mongodb";
import type { AnyStateAdapter, StateJob } from "queuert/internal";
import { aJob, createStateSteps, only, within } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

let client: MongoClient;
let database: Db;
let adapter: AnyStateAdapter;
/** Its acquisitions call `between` before they write, once. */
let late: AnyStateAdapter;
let between: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  const { url, name } = await providedMongodb().createDatabase();
  client = new MongoClient(url);
  database = client.db(name);
  const provider = createMongodbProvider({ client, databaseName: name });
  const created = await createMongoStateAdapter({ stateProvider: provider });
  await created.migrateToLatest();
  adapter = created as unknown as AnyStateAdapter;
  const hooked = overrideCollections(provider.database, (collection) => ({
    updateMany: async (filter, update, options) => {
      // The first write of the transaction: that of the keys.
      if ("heldBy" in filter && options !== undefined && "session" in options) {
        const run = between;
        between = undefined;
        await run?.();
      }
      return collection.updateMany(filter, update, options);
    },
  }));
  const second = await createMongoStateAdapter({
    stateProvider: { ...provider, database: hooked },
  });
  late = second as unknown as AnyStateAdapter;
});
afterEach(async () => {
  between = undefined;
  await database.dropDatabase();
  await client.close();
});

const limitTo = async (concurrency: number): Promise<void> => {
  const none = { concurrency: null, rate: null, declaration: null };
  await adapter.setLimits({
    limits: [{ name: "task", ...none, perKey: { concurrency, rate: null } }],
  });
};

const create = async (key: string, priority = 0, limitName = "task"): Promise<StateJob> => {
  const limitKey = { limitName, key, cost: 1 };
  const [created] = await adapter.createJobs({ jobs: [aJob({ limitKey, priority })] });
  if (created === undefined) throw new Error("nothing was created");
  return created.job;
};

const take = async (
  { acquireJobs }: AnyStateAdapter = adapter,
  leaseMs = 60_000,
): Promise<readonly string[]> => {
  const types = [{ typeName: "task", leaseMs, limit: 10 }];
  const { jobs } = await acquireJobs({ workerId: "w", limit: 10, types });
  return jobs.map(({ job }) => job.id);
};

type Scope = "limit" | "key";
/** Another name than that of the job type, so that a pause of it is none of the type. */
const crm = "crm";
const targets = [{ typeName: crm }];
const createInCrm = (key: string): Promise<StateJob> => create(key, 0, crm);

const setKeyPause = async (
  pause: { readonly forMs: number | null; readonly note: null; readonly extends: boolean } | null,
): Promise<void> => {
  await adapter.limitKeys?.setLimitKeys({ keys: [{ limitName: crm, key: "a", pause }] });
};

const pauseOf = (scope: Scope, forMs: number | null): Promise<void> => {
  const pause = { forMs, note: null, extends: true };
  return scope === "key" ? setKeyPause(pause) : adapter.pause({ targets, ...pause });
};

const resumeOf = async (scope: Scope): Promise<void> => {
  if (scope === "key") await setKeyPause(null);
  else expect(await adapter.resume({ targets })).toEqual([true]);
};

const runningUnder = async (key: string): Promise<number | undefined> => {
  const keys = await adapter.limitKeys?.getLimitKeys({ limitName: "task", keys: [key] });
  return keys?.[0]?.running;
};

const inJobs = () => database.collection<{ _id: string }>("queuert_jobs");
const endHolds = () =>
  database
    .collection("queuert_limit_keys")
    .updateMany({ heldBy: { $exists: true } }, { $set: { heldUntil: new Date(0) } });

describe("between the reads and the writes of an acquisition", () => {
  it("a limit is raised: the job is found", async () => {
    await limitTo(1);
    await create("a");
    const [first] = await take();
    const second = await create("a");
    between = () => limitTo(2);
    const taken = await take(late);
    expect(between).toBeUndefined();
    expect([...taken, ...(await take())]).toEqual([second.id]);
    expect(first).toBeDefined();
  });

  it("its key is paused: it takes no job of it", async () => {
    const job = await createInCrm("a");
    between = () => pauseOf("key", null);
    expect(await take(late)).toEqual([]);
    expect(between).toBeUndefined();
    expect(await take()).toEqual([]);
    await resumeOf("key");
    expect(await take()).toEqual([job.id]);
  });

  // An acquisition that has begun before the pause of a limit may still take a job.
  it("its limit is paused: the next one takes no job of it", async () => {
    await createInCrm("a");
    between = () => pauseOf("limit", null);
    await take(late);
    expect(between).toBeUndefined();
    const waiting = await createInCrm("a");
    expect(await take()).toEqual([]);
    await resumeOf("limit");
    expect(await take()).toContain(waiting.id);
  });

  it("a job is rescheduled with a pause of its key: it takes no other job of it", async () => {
    const asks = await createInCrm("a");
    expect(await take()).toEqual([asks.id]);
    const running = await read(asks.id);
    const waiting = await createInCrm("a");
    between = async () => {
      await pauseOf("key", 3_600_000);
      await createStateSteps(adapter).reschedule(running, { afterMs: 3_600_000 });
    };
    expect(await take(late)).toEqual([]);
    expect(between).toBeUndefined();
    expect(await read(asks.id)).toMatchObject({ status: "pending" });
    expect(await take()).toEqual([]);
    await resumeOf("key");
    expect(await take()).toEqual([waiting.id]);
  });

  it.each(["limit", "key"] as const)(
    "the pause of its %s ends: the job is found",
    async (scope) => {
      // The other key is not paused if only one key is.
      const [job, other] = [await createInCrm("a"), await createInCrm("b")];
      await pauseOf(scope, null);
      between = () => resumeOf(scope);
      const taken = await take(late);
      expect(between).toBeUndefined();
      expect([...taken, ...(await take())].toSorted()).toEqual([job.id, other.id].toSorted());
    },
  );

  it("its hold ends, and another one takes the job: it stores nothing", async () => {
    await limitTo(1);
    await create("a");
    await create("a");
    let others: readonly string[] = [];
    between = async () => {
      await endHolds();
      others = await take();
    };
    expect(await take(late)).toEqual([]);
    expect(others).toHaveLength(1);
    expect(await runningUnder("a")).toBe(1);
  });

  it("an expired lease is renewed: it is a permit", async () => {
    await limitTo(1);
    const lost = await create("a");
    expect(await take(adapter, 1)).toEqual([lost.id]);
    await create("a", 1);
    await createStateSteps(adapter).untilExpired(await read(lost.id));
    // As by a renewal that began before the end of the lease, and was late.
    between = () =>
      inJobs().updateOne({ _id: lost.id }, { $set: { leasedUntil: new Date(Date.now() + 1e6) } });
    expect(await take(late)).toEqual([]);
    expect(between).toBeUndefined();
    expect(await runningUnder("a")).toBe(1);
  });

  it("a failed job is retried: it is found", async () => {
    await limitTo(1);
    const job = await create("a");
    await take();
    await createStateSteps(adapter).fail(await read(job.id));
    between = () => adapter.retryFailedJobs({ ids: [job.id] });
    const taken = await take(late);
    expect(between).toBeUndefined();
    expect([...taken, ...(await take())]).toEqual([job.id]);
  });

  it("the process crashes: the key is free after its hold", async () => {
    await limitTo(1);
    const job = await create("a");
    between = () => Promise.reject(new Error("crashed"));
    await expect(take(late)).rejects.toThrow("crashed");
    expect(await take()).toEqual([]);
    await endHolds();
    expect(await take()).toEqual([job.id]);
  });
});

const read = async (id: string): Promise<StateJob> => {
  const [job] = await adapter.getJobs({ ids: [id] });
  if (job === undefined) throw new Error(`Job ${id} is not stored`);
  return job;
};

const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};

describe("beside other calls", () => {
  it("a lease that was given away is not renewed at any time", async () => {
    await limitTo(1);
    const lost = await create("a");
    expect(await take(adapter, 1)).toEqual([lost.id]);
    const next = await create("a", 1);
    const running = await read(lost.id);
    await createStateSteps(adapter).untilExpired(running);
    expect(await take()).toEqual([next.id]);
    await inJobs().updateOne({ _id: lost.id }, { $currentDate: { leasedUntil: true } });
    const lease = { jobId: lost.id, leaseVersion: running.leaseVersion, leaseMs: 60_000 };
    expect(await adapter.renewLeases({ leases: [lease] })).toEqual([
      { kind: "lost", reason: "lease_expired" },
    ]);
    expect(await runningUnder("a")).toBe(1);
  });

  it("a transaction of a user with the first job of a key keeps no other job back", async () => {
    await limitTo(2);
    const [first, second, other] = [await create("a"), await create("a"), await create("b")];
    const open = gate();
    const locked = gate();
    const transaction = adapter.runInTransaction(async (context) => {
      await adapter.lockSequences({ context, ids: [first.id] });
      locked.open();
      await open.opened;
    });
    await locked.opened;
    const taken = new Set<string>();
    const until = async (ids: readonly string[]): Promise<void> => {
      while (!ids.every((id) => taken.has(id))) for (const id of await take()) taken.add(id);
    };
    await within(until([second.id, other.id]), "the other jobs");
    expect(taken.has(first.id)).toBe(false);
    open.open();
    // It is not aborted.
    await transaction;
    await within(until([first.id]), "the first job");
  });

  it.each(["a key", "a type"])(
    "a transaction of a user with jobs of a batch of %s leaves the others together, in their order",
    async (of) => {
      const created: string[] = [];
      for (let count = 0; count < 8; count++) {
        const job =
          of === "a key" ? await create("a") : only(await adapter.createJobs({ jobs: [aJob()] }));
        created.push("job" in job ? job.job.id : job.id);
      }
      const [first = "", second = "", , fourth = "", ...others] = created;
      const open = gate();
      const locked = gate();
      const transaction = adapter.runInTransaction(async (context) => {
        await adapter.lockSequences({ context, ids: [first, second, fourth] });
        locked.open();
        await open.opened;
      });
      await locked.opened;
      const batch = { minSize: 4, maxWaitMs: 3_600_000, perKey: true };
      const look = async (): Promise<readonly string[]> => {
        const types = [{ typeName: "task", leaseMs: 60_000, limit: 4, batch }];
        const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 4, types });
        return jobs.map(({ job }) => job.id);
      };
      let taken: readonly string[] = [];
      const until = async (): Promise<void> => {
        while (taken.length === 0) taken = await look();
      };
      await within(until(), "the batch");
      expect(taken).toEqual([created[2], ...others.slice(0, 3)]);
      open.open();
      // It is not aborted.
      await transaction;
      taken = [];
      await within(until(), "the others");
      expect(taken).toEqual([first, second, fourth, others[3]]);
    },
  );

  it("a failed job that is moved leaves the turn of its key", async () => {
    await limitTo(1);
    const moved = await create("a");
    await take();
    const waiting = await create("a");
    expect(await take()).toEqual([]);
    await createStateSteps(adapter).fail(await read(moved.id));
    const limitKey = { limitName: "task", key: "b", cost: 1 };
    const kept = { input: null, schedule: null, priority: null, dueWithinMs: null };
    await adapter.updateJobs({ jobs: [{ id: moved.id, ...kept, limitKey }] });
    expect(await take()).toEqual([waiting.id]);
  });

  it("without waiting jobs, a key leaves no document but one with an end", async () => {
    await limitTo(1);
    await create("a");
    const [id] = await take();
    await createStateSteps(adapter).complete(await read(id ?? ""));
    expect(await take()).toEqual([]);
    const left = await database.collection("queuert_limit_keys").find().toArray();
    expect(left).toMatchObject([{ key: "a", removeAt: expect.any(Date) }]);
    expect(left[0]).not.toHaveProperty("lookAt");
    expect(await inJobs().countDocuments({ turnAt: { $exists: true } })).toBe(0);
  });
});
