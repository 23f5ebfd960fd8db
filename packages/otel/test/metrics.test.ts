import { DataPointType } from "@opentelemetry/sdk-metrics";
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  rescheduleJob,
  UnrecoverableJobError,
} from "queuert";
import { describe, expect, it, vi } from "vitest";
import { counters, durationBuckets, histograms, upDownCounters } from "../src/instruments.ts";
import { openApp, payload, quick } from "./app.ts";

const settled = (read: () => Promise<number>, expected: number): Promise<void> =>
  vi.waitFor(async () => expect(await read()).toBe(expected), { timeout: 10_000, interval: 10 });

describe("metrics", () => {
  it("counts and times a sequence from its start to its end", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "first",
        process: async ({ complete }) =>
          complete.continueWith({ typeName: "second", input: payload }),
      })
      .implementJobType({
        typeName: "second",
        process: async ({ complete }) => complete(async () => payload),
      })
      .start(quick);
    const sequence = await start("first");
    await done(sequence.id, "first");
    await worker.stop();

    const byType = async (name: string): Promise<readonly [number, number]> => [
      await sdk.value(name, { typeName: "first" }),
      await sdk.value(name, { typeName: "second" }),
    ];
    expect(await byType("queuert.job.created")).toEqual([1, 1]);
    expect(await byType("queuert.job.attempt.started")).toEqual([1, 1]);
    expect(await byType("queuert.job.attempt.completed")).toEqual([1, 1]);
    expect(await byType("queuert.job.completed")).toEqual([1, 1]);
    expect(await byType("queuert.job_sequence.created")).toEqual([1, 0]);
    expect(await byType("queuert.job_sequence.completed")).toEqual([1, 0]);
    expect(await byType("queuert.job.duration")).toEqual([1, 1]);
    expect(await byType("queuert.job.attempt.duration")).toEqual([1, 1]);
    expect(await byType("queuert.job.attempt.wait")).toEqual([1, 1]);
    expect(await byType("queuert.job_sequence.duration")).toEqual([1, 0]);
    expect(await sdk.value("queuert.job.attempt.completed", { continued: true })).toBe(1);
    for (const name of ["started", "stopping", "stopped"]) {
      expect(await sdk.value(`queuert.worker.${name}`)).toBe(1);
    }
    const duration = (await sdk.metrics()).get("queuert.job.duration");
    expect(duration?.descriptor.unit).toBe("ms");
    const [point] = duration?.dataPointType === DataPointType.HISTOGRAM ? duration.dataPoints : [];
    expect(point?.value.buckets.boundaries).toEqual(durationBuckets);
  });

  it("counts attempts that fail, ask to wait, and fail for good, and retries of failed jobs", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          if (job.leaseVersion === 1) throw new TypeError("of passage");
          if (job.leaseVersion === 2) rescheduleJob({ afterMs: 1 });
          if (job.leaseVersion === 3) throw new UnrecoverableJobError("for good");
          return complete(payload);
        },
      })
      .start(quick);
    const { id } = await start();
    await settled(() => sdk.value("queuert.job.failed", { typeName: "task" }), 1);
    const failed = "queuert.job.attempt.failed";
    expect(await sdk.value(failed, { willRetry: true, "error.type": "TypeError" })).toBe(1);
    expect(await sdk.value(failed, { willRetry: false })).toBe(1);
    expect(await sdk.value("queuert.job.attempt.rescheduled", { typeName: "task" })).toBe(1);
    expect(await sdk.value("queuert.job_sequence.failed", { typeName: "task" })).toBe(1);
    await queuert.retryFailedJobs({ ids: [id] });
    await done(id);
    await worker.stop();
    expect(await sdk.value("queuert.job.retried", { typeName: "task" })).toBe(1);
    const duration = "queuert.job.attempt.duration";
    expect(await sdk.value(duration, { outcome: "failed" })).toBe(2);
    expect(await sdk.value(duration, { outcome: "rescheduled" })).toBe(1);
    expect(await sdk.value(duration, { outcome: "completed" })).toBe(1);
  });

  it("counts blocked and unblocked jobs, found sequences and deleted jobs", async () => {
    const { sdk, queuert, done } = await openApp();
    const deduplication = { key: "k" };
    const waiting = await queuert.transaction(async (tx) => {
      const started = await queuert.startJobSequence({
        ...tx,
        typeName: "waiting",
        input: payload,
        startBlockers: async () => [
          await queuert.startJobSequence({
            ...tx,
            typeName: "task",
            input: payload,
            deduplication,
          }),
        ],
      });
      await queuert.startJobSequence({ ...tx, typeName: "task", input: payload, deduplication });
      return started;
    });
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .implementJobType({ typeName: "waiting", process: async ({ complete }) => complete(payload) })
      .start(quick);
    await done(waiting.id, "waiting");
    await worker.stop();
    expect(await sdk.value("queuert.job.blocked", { typeName: "waiting" })).toBe(1);
    expect(await sdk.value("queuert.job.unblocked", { typeName: "waiting" })).toBe(1);
    expect(await sdk.value("queuert.job_sequence.deduplicated", { typeName: "task" })).toBe(1);
    const rootSequenceIds = [waiting.id];
    await queuert.transaction((tx) => queuert.deleteJobSequences({ ...tx, rootSequenceIds }));
    expect(await sdk.value("queuert.job.deleted")).toBe(2);
  });

  it("emits nothing for rolled back work", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const rolledBack = queuert.transaction(async (tx) => {
      await queuert.startJobSequence({ ...tx, typeName: "task", input: payload });
      throw new Error("changed their mind");
    });
    await expect(rolledBack).rejects.toThrow("changed their mind");
    expect(await sdk.value("queuert.job.created")).toBe(0);

    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "first",
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          const completion = await complete(async ({ continueWith, ...tx }) => {
            await queuert.startJobSequence({ ...tx, typeName: "task", input: payload });
            return continueWith({ typeName: "second", input: payload });
          });
          if (job.attempt === 1) throw new Error("after complete");
          return completion;
        },
      })
      .implementJobType({ typeName: "second", process: async ({ complete }) => complete(payload) })
      .start(quick);
    await done((await start("first")).id, "first");
    await worker.stop();
    expect(await sdk.value("queuert.job.attempt.failed", { typeName: "first" })).toBe(1);
    expect(await sdk.value("queuert.job.attempt.completed", { typeName: "first" })).toBe(1);
    expect(await sdk.value("queuert.job.created", { typeName: "task" })).toBe(1);
    expect(await sdk.value("queuert.job.created", { typeName: "second" })).toBe(1);
  });

  it("counts calls of adapters that fail, and starts outside any scope, by operation", async () => {
    const state = createInProcessStateAdapter();
    let isBroken = true;
    const flaky: typeof state = {
      ...state,
      acquireJobs: async (params) => {
        if (isBroken) throw new RangeError("no store");
        return state.acquireJobs(params);
      },
    };
    const notifyAdapter = {
      ...createInProcessNotifyAdapter(),
      notifyJobScheduled: async () => {
        throw new RangeError("no channel");
      },
    };
    const { sdk, queuert, done } = await openApp({ state: flaky, notifyAdapter });
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .start({ ...quick, waitForStore: true });
    const { id } = await state.runInTransaction((tx) =>
      queuert.startJobSequence({ ...tx, typeName: "task", input: payload }),
    );
    await vi.waitFor(async () => {
      const attributes = { operation: "acquireJobs", "error.type": "RangeError" };
      expect(await sdk.value("queuert.state_adapter.error", attributes)).toBeGreaterThan(0);
      expect(await sdk.value("queuert.worker.error", { "error.type": "RangeError" })).toBe(
        await sdk.value("queuert.state_adapter.error"),
      );
    });
    isBroken = false;
    await done(id);
    await worker.stop();
    const failed = { operation: "notifyJobScheduled", "error.type": "RangeError" };
    expect(await sdk.value("queuert.notify_adapter.error", failed)).toBeGreaterThan(0);
    const absence = { operation: "startJobSequence" };
    expect(await sdk.value("queuert.notify_adapter.context_absence", absence)).toBe(1);
  });

  it("counts several clients of a process together", async () => {
    const { sdk, start } = await openApp();
    const { start: startOther } = await openApp({ sdk });
    await start();
    await startOther();
    expect(await sdk.value("queuert.job.created", { typeName: "task" })).toBe(2);
  });

  it("declares every instrument with its unit, its attributes and the prefix", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .start(quick);
    await done((await start()).id);
    const metrics = await sdk.metrics();
    await worker.stop();
    const definitions = [counters, histograms, upDownCounters].flatMap((table) =>
      Object.values(table),
    );
    const byName = new Map(definitions.map((one) => [`queuert.${one.name}`, one]));
    expect(byName.size).toBe(definitions.length);
    expect(metrics.size).toBeGreaterThan(9);
    for (const [name, { descriptor, dataPoints }] of metrics) {
      const definition = byName.get(name);
      expect(descriptor.unit, name).toBe(definition?.unit);
      expect(descriptor.description, name).toBe(definition?.description);
      for (const { attributes } of dataPoints) {
        expect(Object.keys(attributes), name).toEqual(definition?.attributes);
      }
    }
    expect(JSON.stringify([...metrics.values()])).not.toContain(payload.secret);
  });
});
