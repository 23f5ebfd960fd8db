import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { createOperator } from "queuert/operator";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AnyStateAdapter } from "../../src/adapters/state-adapter.ts";
import { addEntries, bucketMs, bucketOf, Statistics } from "../../src/observe/statistics.ts";
import { anOperator } from "./a-client.ts";

const kept = { minutesKeptMs: 1e12, hoursKeptMs: 1e12 };

describe("statistics of a process", () => {
  it("have buckets that grow by the square root of 2", () => {
    expect([0, 1, 1.4, 2, 2.1, 1_000, 1e30].map(bucketOf)).toEqual([0, 0, 1, 2, 3, 20, 63]);
    for (const ms of [1.5, 7, 90, 12_345]) {
      expect(bucketMs(bucketOf(ms))).toBeGreaterThanOrEqual(ms);
      expect(bucketMs(bucketOf(ms) - 1)).toBeLessThan(ms);
    }
  });

  it("give each count once, and again those that could not be stored", () => {
    const statistics = new Statistics();
    statistics.count("a", "completed", 3, 0);
    statistics.count("a", "completed", 3, 100);
    const first = statistics.take();
    expect(first).toEqual([
      {
        typeName: "a",
        counts: { completed: 2, runMs: 6, waitMs: 100, run4: 2, wait0: 1, wait14: 1 },
      },
    ]);
    expect(statistics.take()).toEqual([]);
    statistics.count("a", "failed", 3, 0);
    statistics.count("b", "lost", 0, 0);
    statistics.putBack(first);
    const all = statistics.take();
    expect(all).toEqual(
      addEntries([
        ...first,
        { typeName: "a", counts: { failed: 1, runMs: 3, waitMs: 0, run4: 1, wait0: 1 } },
        { typeName: "b", counts: { lost: 1, runMs: 0, waitMs: 0, run0: 1, wait0: 1 } },
      ]),
    );
  });
});

describe("the history of attempts", () => {
  it("has counts and percentiles by minute, and sums of the period", async () => {
    const { state, operator, clock } = await anOperator();
    const record = (counts: Record<string, number>) =>
      state.operator?.recordMetrics?.({ entries: [{ typeName: "a", counts }], ...kept });
    clock.ms = Date.UTC(2026, 0, 1, 12, 0, 30);
    await record({ completed: 98, run4: 98, runMs: 98 * 3 });
    clock.ms += 60_000;
    await record({ failed: 2, abandoned: 1, run20: 2, runMs: 2_000 });
    const { types, stepMs } = await operator.getMetrics();
    expect(stepMs).toBe(60_000);
    expect(types).toMatchObject([
      {
        typeName: "a",
        total: { completed: 98, failed: 2, lost: 1, waitMs: null, runMs: { p50: 3, mean: 23 } },
        buckets: [
          { at: new Date(Date.UTC(2026, 0, 1, 12, 0)), completed: 98, failed: 0 },
          { at: new Date(Date.UTC(2026, 0, 1, 12, 1)), completed: 0, failed: 2 },
        ],
      },
    ]);
    expect(types[0]?.total.runMs?.p99).toBeGreaterThan(700);
    const { types: before } = await operator.getMetrics({ sinceMs: 3e6, untilMs: 60_001 });
    expect(before[0]?.total).toMatchObject({ completed: 98, failed: 0 });
    const { types: days, stepMs: hour } = await operator.getMetrics({ sinceMs: 2 * 86_400_000 });
    expect([hour, days[0]?.total]).toMatchObject([3_600_000, { completed: 98, failed: 2 }]);
    expect((await operator.getMetrics({ typeNames: ["b"] })).types).toEqual([]);
    const { types: overview } = await operator.getOverview();
    expect(overview).toMatchObject([
      { typeName: "a", recent: { completed: 98, donePerMinute: 10 } },
    ]);
  });

  it("refuses bad options", async () => {
    const { operator } = await anOperator();
    for (const options of [
      { sinceMs: 0 },
      { untilMs: -1 },
      { sinceMs: 1e12 },
      { typeNames: "a" },
    ]) {
      await expect(operator.getMetrics(options as never)).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
  });
});

type Types = { task: { entry: true; input: { fails: boolean }; output: null } };

describe("a worker", () => {
  const run = async (options: { readonly workerRegistry?: boolean } = {}) => {
    const stateAdapter = createInProcessStateAdapter();
    const queuert = await createQueuert({
      stateAdapter,
      jobTypeDefinitions: defineUnionJobTypes<Types>(),
      log: () => {},
      ...options,
    });
    onTestFinished(() => queuert.close());
    const worker = queuert.createWorker().implementJobType({
      typeName: "task",
      retryConfig: { maxAttempts: 1 },
      process: async ({ job, complete }) => {
        if (job.input.fails) throw new Error("no");
        return complete(null);
      },
    });
    const start = async (fails: boolean) =>
      queuert.startJobSequence({ typeName: "task", input: { fails }, autocommit: true });
    const total = async () =>
      (await createOperator({ queuert }).getMetrics()).types.map((type) => type.total)[0];
    return { state: stateAdapter as AnyStateAdapter, worker, start, total };
  };

  it("reports its attempts at its end", async () => {
    const { worker, start, total } = await run();
    for (const fails of [false, true, false]) await start(fails);
    await worker.drain();
    expect(await total()).toMatchObject({ completed: 2, failed: 1, lost: 0 });
  });

  it("reports counts again that the store refused", async () => {
    const { state, worker, start, total } = await run();
    const { operator } = state;
    const recordMetrics = operator?.recordMetrics;
    Object.assign(operator ?? {}, { recordMetrics: () => Promise.reject(new Error("away")) });
    await start(false);
    await worker.drain();
    expect(await total()).toBeUndefined();
    Object.assign(operator ?? {}, { recordMetrics });
    await start(false);
    await worker.drain();
    expect(await total()).toMatchObject({ completed: 2 });
  });

  it("writes nothing without attempts, and nothing without a registry", async () => {
    for (const workerRegistry of [true, false]) {
      const { state, worker, start } = await run({ workerRegistry });
      let calls = 0;
      const count = () => Promise.resolve(void (calls += 1));
      Object.assign(state.operator ?? {}, { recordMetrics: count });
      await worker.drain();
      expect(calls).toBe(0);
      await start(false);
      await worker.drain();
      expect(calls).toBe(workerRegistry ? 1 : 0);
    }
  });
});
