// The kit of tests over a store: time passes in it, and its faults are met. In-process and on every database.
import { describe, expect, it, onTestFinished } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { TimeTravel } from "../../adapters/time-travel.ts";
import { createTestQueuert } from "../../test-kit/create-test-queuert.ts";
import { SimulatedFaultError, TimeTravelError } from "../../test-kit/errors.ts";
import type { TestQueuert } from "../../test-kit/test-queuert.ts";
import { movedInstants } from "./instants.ts";
import {
  dailyReport,
  type KitDefinitions,
  kitJobTypes,
  type KitRecord,
  makeKitWorker,
} from "./test-kit-jobs.ts";

/** A store with nothing in it. */
export interface TestKitStore {
  /** Undefined: the in-process store of the kit itself. */
  readonly stateAdapter: AnyStateAdapter | undefined;
  readonly timeTravel: TimeTravel | undefined;
  readonly close: () => Promise<void>;
}

export interface TestKitSuiteOptions {
  /** Opens an empty store, for one case. */
  readonly open: () => Promise<TestKitStore>;
}

type TestClient = TestQueuert<KitDefinitions, AnyStateAdapter> & { readonly store: TestKitStore };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Registers the cases of `queuert/test` over a store. */
export const testKitSuite = ({ open }: TestKitSuiteOptions): void => {
  const openClient: OpenClient = async (record, declared) => {
    const store = await open();
    const test = await createTestQueuert<KitDefinitions, AnyStateAdapter>({
      jobTypeDefinitions: kitJobTypes,
      stateAdapter: store.stateAdapter,
      timeTravel: store.timeTravel,
      workers: [(queuert) => makeKitWorker(queuert, record)],
      schedules: { declared },
    });
    onTestFinished(async () => {
      await test.close();
      await store.close();
    });
    return { ...test, store };
  };
  describe("the kit of tests", () => {
    describeTime(openClient);
    describeFaults(openClient);
    describeStore(openClient);
  });
};

type OpenClient = (record: KitRecord, declared?: typeof dailyReport) => Promise<TestClient>;

const aRecord = (): KitRecord => ({ runs: [], failuresLeft: 0 });

const describeTime = (openClient: OpenClient): void => {
  it("lets 60 days of schedules, retries and reminders pass in one drain", async () => {
    const record = { ...aRecord(), failuresLeft: 11 };
    const test = await openClient(record, dailyReport);
    const begin = await test.now();
    const { id } = await test.queuert.startJobSequence({
      autocommit: true,
      typeName: "remind",
      input: { to: "ada" },
      schedule: { afterMs: 30 * dayMs },
    });
    await test.queuert.startJobSequence({ autocommit: true, typeName: "flaky", input: null });
    const before = await test.queuert.getJob({ id });

    const drained = await test.drain({ skipTime: { days: 60 } });

    // The last of the 60 days may end before its tick.
    const ticks = record.runs.filter(({ typeName }) => typeName === "report");
    expect([60, 61]).toContain(ticks.length + 1);
    expect(drained).toMatchObject({ completed: ticks.length + 2, retried: 11, failed: 0 });
    expect(drained.skippedMs).toBeGreaterThan(58 * dayMs);
    expect(drained.skippedMs).toBeLessThanOrEqual(60 * dayMs);
    const passedMs = (await test.now()).getTime() - begin.getTime();
    expect(Math.abs(passedMs - drained.skippedMs)).toBeLessThan(60_000);
    // The calendar has gone on: each day once, at six in the morning of Berlin.
    const { items } = await test.queuert.listScheduleTicks({ name: "report", limit: 100 });
    expect(new Set(items.map(({ at }) => at.toISOString().slice(0, 10))).size).toBe(ticks.length);
    const berlin = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", hour: "2-digit" });
    expect(new Set(items.map(({ at }) => berlin.format(at)))).toEqual(new Set(["06"]));
    const reminder = record.runs.find(({ typeName }) => typeName === "remind");
    expect(reminder?.scheduledAt.getTime()).toBe(before?.scheduledAt.getTime());
    // The past is as it was.
    const after = await test.queuert.getJob({ id });
    expect(after?.createdAt).toEqual(before?.createdAt);
  }, 60_000);

  it("skips the pause of a type, and the window of a deduplication key", async () => {
    const record = aRecord();
    const test = await openClient(record);
    const start = (): Promise<{ readonly deduplicated: boolean }> =>
      test.queuert.startJobSequence({
        autocommit: true,
        typeName: "remind",
        input: { to: "ada" },
        deduplication: { key: "ada", strategy: "all", windowMs: dayMs },
      });
    await test.queuert.pause({ jobTypes: ["remind"], forMs: 2 * hourMs });
    await start();
    expect(await test.drain()).toMatchObject({ completed: 0, skippedMs: 0 });
    const drained = await test.drain({ skipTime: { hours: 3 } });
    expect(drained.completed).toBe(1);
    expect(drained.skippedMs).toBeGreaterThan(2 * hourMs - 60_000);
    expect(await start()).toMatchObject({ deduplicated: true });
    await test.advance({ days: 1 });
    expect(await start()).toMatchObject({ deduplicated: false });
  });

  it("skips the rate of a type", async () => {
    const test = await openClient(aRecord());
    const rate = { count: 1, perMs: hourMs };
    await test.queuert.setLimits({ limits: [{ name: "remind", rate }] });
    for (const to of ["a", "b", "c"]) {
      await test.queuert.startJobSequence({ autocommit: true, typeName: "remind", input: { to } });
    }
    const drained = await test.drain({ skipTime: { hours: 3 } });
    expect(drained.completed).toBe(3);
    expect(drained.skippedMs).toBeGreaterThan(2 * hourMs - 60_000);
    expect(drained.skippedMs).toBeLessThan(2 * hourMs + 60_000);
  });

  it("skips no further than it may, and says why jobs wait", async () => {
    const test = await openClient(aRecord());
    await test.queuert.startJobSequence({
      autocommit: true,
      typeName: "remind",
      input: { to: "ada" },
      schedule: { afterMs: 2 * hourMs },
    });
    const drained = await test.drain({ skipTime: { minutes: 90 } });
    expect(drained).toMatchObject({ completed: 0, skippedMs: 0 });
    expect(drained.waiting).toMatchObject([{ typeName: "remind", why: "due in 2 h" }]);
  });

  it("runs one attempt at a time", async () => {
    const record = { ...aRecord(), failuresLeft: 1 };
    const test = await openClient(record);
    await test.queuert.startJobSequence({ autocommit: true, typeName: "flaky", input: null });
    await test.queuert.startJobSequence({
      autocommit: true,
      typeName: "remind",
      input: { to: "ada" },
    });
    expect(await test.runNext("remind")).toMatchObject({
      typeName: "remind",
      outcome: "completed",
      job: { status: "completed" },
    });
    const retried = await test.runNext();
    expect(retried).toMatchObject({ typeName: "flaky", attempt: 1, outcome: "retried" });
    expect(retried?.error).toEqual(new Error("not yet"));
    expect(await test.runNext()).toBeUndefined();
    await test.advance({ seconds: 10 });
    expect(await test.runNext()).toMatchObject({ attempt: 2, outcome: "completed" });
  });

  it("throws the error of a job that has not completed, and not of one that has", async () => {
    const record = { ...aRecord(), failuresLeft: 2 };
    const test = await openClient(record);
    await test.queuert.startJobSequence({ autocommit: true, typeName: "flaky", input: null });
    await expect(test.drain()).rejects.toThrow("not yet");
    expect(await test.drain({ skipTime: { hours: 1 } })).toMatchObject({
      completed: 1,
      retried: 1,
    });
  });
};

const describeFaults = (openClient: OpenClient): void => {
  it("runs a job again whose process has crashed, once its lease has ended", async () => {
    const record = aRecord();
    const test = await openClient(record);
    test.crash({ typeName: "remind" });
    const { id } = await test.queuert.startJobSequence({
      autocommit: true,
      typeName: "remind",
      input: { to: "ada" },
    });
    const crashed = await test.drain();
    expect(crashed.attempts).toMatchObject([{ outcome: "crashed", attempt: 1 }]);
    expect(await test.queuert.getJob({ id })).toMatchObject({ status: "running", attempt: 1 });
    const drained = await test.drain({ skipTime: { minutes: 1 } });
    expect(drained).toMatchObject({ completed: 1 });
    expect(drained.skippedMs).toBeGreaterThan(25_000);
    // The side effects of the first attempt had happened.
    expect(record.runs).toHaveLength(2);
    expect(await test.queuert.getJob({ id })).toMatchObject({ status: "completed", attempt: 2 });
  });

  it("lets an attempt crash before its process function, by its number", async () => {
    const record = { ...aRecord(), failuresLeft: 1 };
    const test = await openClient(record);
    test.crash({ typeName: "flaky", attempt: 2, when: "beforeProcessing" });
    await test.queuert.startJobSequence({ autocommit: true, typeName: "flaky", input: null });
    const { attempts } = await test.drain({ skipTime: { hours: 1 } });
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["retried", "crashed", "completed"]);
    expect(record.runs).toHaveLength(2);
  });

  it("completes a job once whose completion lost its answer", async () => {
    const record = aRecord();
    const test = await openClient(record);
    test.failNext("completeJobs", { answerLost: true });
    test.failNext("createJobs", { error: new Error("the database is away") });
    const start = () => test.run({ typeName: "remind", input: { to: "ada" } });
    await expect(start()).rejects.toThrow("the database is away");
    expect(await start()).toMatchObject({ status: "completed", output: { sent: true } });
    expect(record.runs).toHaveLength(1);
    test.failNext("acquireJobs");
    await expect(test.drain()).rejects.toThrow(SimulatedFaultError);
  });

  it("draws a sequence with its continuations and blockers", async () => {
    const test = await openClient(aRecord());
    const { id } = await test.queuert.startJobSequence({
      autocommit: true,
      typeName: "order",
      input: null,
      startBlockers: async (tx) => [
        await test.queuert.startJobSequence({ ...tx, typeName: "remind", input: { to: "ada" } }),
        await test.queuert.startJobSequence({ ...tx, typeName: "flaky", input: null }),
      ],
    });
    expect(await test.graph(id)).toBe("order ⧗\n├ remind …\n└ flaky …");
    await test.drain();
    expect(await test.graph(id)).toBe(
      'order ✓ → ship ✓ {"code":"1Z"}\n├ remind ✓ {"sent":true}\n└ flaky ✓',
    );
  });
};

const describeStore = (openClient: OpenClient): void => {
  it("moves every instant of the store by the same time", async () => {
    const record = { ...aRecord(), failuresLeft: 1 };
    const test = await openClient(record, dailyReport);
    const { stateAdapter, timeTravel } = test.store;
    if (stateAdapter === undefined || timeTravel === undefined) {
      // The in-process store has a clock that is set.
      const before = await test.now();
      await test.advance({ hours: 1 });
      expect((await test.now()).getTime() - before.getTime()).toBeGreaterThanOrEqual(hourMs);
      return;
    }
    expect(await movedInstants(test, { stateAdapter, timeTravel }, hourMs)).toEqual({
      notMoved: [],
      // Jobs, schedules, ticks, pauses and the registry of workers.
      kinds: expect.arrayContaining(["jobs", "pauses", "schedules", "ticks", "workers"]) as unknown,
    });
  });

  it("refuses to skip time while a job runs", async () => {
    const record = aRecord();
    const test = await openClient(record);
    const { store } = test;
    let refusal: unknown;
    record.during = async () => {
      refusal = await test.advance({ hours: 1 }).catch((error: unknown) => error);
    };
    await test.run({ typeName: "remind", input: { to: "ada" } });
    expect(refusal).toBeInstanceOf(TimeTravelError);
    expect(String(refusal)).toContain("its lease would expire");
    if (store.stateAdapter?.operator?.beat === undefined) return;
    await store.stateAdapter.operator.beat({
      process: { host: "elsewhere", pid: 7, machine: null, processStart: null },
      workers: [
        {
          ...{ instanceId: "a", workerId: "stranger", state: "running", types: [] },
          ...{ concurrency: 1, busy: 0, beatMs: 30_000, libraryVersion: null },
        },
      ],
      forgetAfterMs: dayMs,
    });
    await expect(test.advance({ hours: 1 })).rejects.toThrow(
      'worker "stranger" of another process',
    );
  });
};
