import { expect } from "vitest";
import { eventually, sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

/** Long enough for a job that must not begin. */
const quietMs = 150;
const farMs = 3_600_000;

export const pausingSuite: BehaviourSuite = defineBehaviourSuite("pausing", (rule) => {
  rule("jobs of a paused type wait, and those of others run", async ({ open, openSecond }) => {
    const client = await open();
    const operator = await openSecond();
    await operator.queuert.pause({ jobTypes: ["task"], note: "provider down" });
    const waiting = await client.start("task");
    const other = await client.start("other");
    await client.work({
      task: async ({ complete }) => complete("task"),
      other: async ({ complete }) => complete("other"),
    });
    await client.until(other);
    await sleep(quietMs);
    expect((await client.job(waiting)).status).toBe("pending");
    expect(await client.queuert.getPauses()).toMatchObject([
      { jobType: "task", note: "provider down", until: null, state: "paused", runningCount: 0 },
    ]);
    expect(operator.events.of("jobTypesPaused")).toEqual([
      { typeNames: ["task"], forMs: null, note: "provider down" },
    ]);
    expect(await operator.queuert.resume({ jobTypes: ["task"] })).toEqual({ resumed: 1 });
    expect(await client.until(waiting)).toMatchObject({ output: "task" });
    expect(operator.events.of("jobTypesResumed")).toEqual([{ typeNames: ["task"] }]);
    expect(await operator.queuert.resume({ jobTypes: ["task"] })).toEqual({ resumed: 0 });
  });

  rule("a running job goes on, and its type is pausing until then", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ signal, complete }) => {
        await held.pass();
        return complete(signal.aborted);
      },
    });
    await held.arrived();
    await client.queuert.pause({ everything: true });
    expect(await client.queuert.getPauses()).toMatchObject([
      { jobType: null, state: "pausing", runningCount: 1 },
    ]);
    const later = await client.start("task");
    held.open();
    expect(await client.until(started)).toMatchObject({ output: false });
    await sleep(quietMs);
    expect((await client.job(later)).status).toBe("pending");
    expect(await client.queuert.getPauses()).toMatchObject([{ state: "paused" }]);
    await client.queuert.resume({ everything: true });
    await client.until(later);
  });

  rule("an idle worker of this process begins at once after a resume", async ({ open }) => {
    const client = await open();
    await client.queuert.pause({ everything: true });
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, waitForStore: false },
    );
    const waiting = await client.start("task");
    await sleep(quietMs);
    expect((await client.job(waiting)).status).toBe("pending");
    await client.queuert.resume({ everything: true });
    await client.until(waiting);
  });

  rule("a pause ends by itself, and wakes a worker that does not poll", async ({ open }) => {
    const client = await open();
    await client.queuert.pause({ jobTypes: ["task"], forMs: 300 });
    const waiting = await client.start("task");
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, waitForStore: false },
    );
    await client.until(waiting);
    expect(await client.queuert.getPauses()).toEqual([]);
  });

  rule("a retry of a paused type waits for its end", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          await held.pass();
          if (job.attempt === 1) throw new Error("again");
          return complete(job.attempt);
        },
      },
    });
    await held.arrived();
    await client.queuert.pause({ jobTypes: ["task"] });
    held.open();
    await client.untilJob(started, "pending");
    await sleep(quietMs);
    expect((await client.job(started)).attempt).toBe(1);
    await client.queuert.resume({ jobTypes: ["task"] });
    expect(await client.until(started)).toMatchObject({ output: 2 });
  });

  rule("jobs that have not begun go back at once", async (context) => {
    const { open, openSecond, gate, stateAdapter } = context;
    const held = gate();
    let stoppedAt: number | null = null;
    let begunCount = 0;
    const client = await open({
      // An acquisition takes a while, and jobs are quick: so the worker prefetches.
      stateAdapter: interceptState(stateAdapter, {
        before: (operation) => (operation === "acquireJobs" ? sleep(20) : undefined),
      }),
      // Without a notification, jobs are handed back when they have waited for a second.
      toNow: (now) => stoppedAt ?? now,
    });
    const operator = await openSecond();
    const startMany = (typeName: "task" | "other", length: number) => {
      const sequences = Array.from({ length }, () => ({ typeName, input: null }));
      return operator.transact((tx) => operator.queuert.startJobSequences({ ...tx, sequences }));
    };
    const quick = await startMany("other", 100);
    const worker = await client.work(
      {
        other: async ({ complete }) => {
          // The measured speed stays as it is: idle polls would lower it, and with it the prefetch.
          if (++begunCount === 50)
            stoppedAt = Math.floor(performance.timeOrigin + performance.now());
          return complete(null);
        },
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      },
      { concurrency: 2, prefetch: 10 },
    );
    for (const one of quick) await operator.until(one);
    await startMany("task", 6);
    const untilRunning = (isReached: (count: number) => boolean) =>
      eventually(async () => {
        const { items } = await operator.queuert.listJobs({ typeName: "task", status: "running" });
        return isReached(items.length) ? true : undefined;
      }, "running jobs");
    await held.arrived(2);
    await untilRunning((count) => count > 2);
    await operator.queuert.pause({ jobTypes: ["task"] });
    await untilRunning((count) => count === 2);
    expect(client.events.of("jobHandedBack").length).toBeGreaterThan(0);
    held.open();
    await worker.stop();
    const { items } = await operator.queuert.listJobs({ typeName: "task" });
    expect(items.map(({ status, attempt }) => [status, attempt]).sort()).toEqual([
      ...Array.from({ length: 2 }, () => ["completed", 1]),
      ...Array.from({ length: 4 }, () => ["pending", 0]),
    ]);
  });

  rule("bad options are refused", async ({ open }) => {
    const client = await open();
    for (const given of [
      {},
      { jobTypes: [] },
      { jobTypes: "task" },
      { jobTypes: [""] },
      { everything: false },
      { jobTypes: ["task"], everything: true },
      { everything: true, forMs: 0 },
      { everything: true, note: "x".repeat(1_001) },
      { everything: true, until: new Date() },
    ]) {
      expect(await rejection(client.queuert.pause(given as never))).toMatchObject({
        code: expect.stringMatching(/^QUEUERT_/) as string,
      });
    }
    expect(await client.queuert.getPauses()).toEqual([]);
  });
});
