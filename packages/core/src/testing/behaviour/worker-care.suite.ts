import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { isLevelWanted } from "../../observe/log.ts";
import { eventually, graceMs, sleep, within } from "../waiting.ts";
import type { Processes } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

/** A lasting failure, such as a missing table: no retry can help. */
class LastingError extends Error {}

/** What a worker reports, and when it gives up. */
export const workerCareSuite: BehaviourSuite = defineBehaviourSuite("worker care", (rule) => {
  rule("misuse of the API fails the job at once", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      // The compiler refuses it: the result of complete is not returned.
      task: async () => undefined as never,
    });
    await client.until(started, "failed");
    await client.events.until("jobFailed");
    expect(client.events.of("jobAttemptFailed")).toMatchObject([
      { attempt: 1, willRetry: false, attemptsLeft: 0, retryAt: null },
    ]);
  });

  rule("a second complete names the error of the first, which decides", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          if (job.attempt === 2) return complete("second attempt");
          const failing = complete(async () => {
            throw new RangeError("out of range");
          });
          await failing.catch(() => undefined);
          return complete("once more");
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: "second attempt" });
    const [failure] = client.events.of("jobAttemptFailed");
    expect(String(failure?.error)).toMatch(/only be called once.*RangeError/u);
    expect(failure?.error).toMatchObject({ cause: { message: "out of range" } });
  });

  rule(
    "a failed attempt is reported with the attempts left and the next due time",
    async (context) => {
      const client = await context.open();
      const started = await client.start("task");
      await client.work({
        task: {
          retryConfig: { initialDelayMs: 1, maxAttempts: 3 },
          process: () => Promise.reject(new Error("the reason")),
        },
      });
      await client.until(started, "failed");
      await client.events.until("jobFailed");
      const failures = client.events.of("jobAttemptFailed");
      expect(failures.map(({ attemptsLeft }) => attemptsLeft)).toEqual([2, 1, 0]);
      expect(failures[0]?.retryAt).toBeInstanceOf(Date);
      expect(failures[2]?.retryAt).toBeNull();
      const messages = client.events.logged
        .filter(({ type }) => type === "jobAttemptFailed")
        .map(({ message }) => message);
      expect(messages[0]).toMatch(/failed \(the reason\), 2 left, the next is due at 2/u);
      expect(messages[2]).toMatch(/failed \(the reason\) and is the last/u);
    },
  );

  rule("start rejects if the first acquisition fails, and leaves nothing", async (context) => {
    const { open, stateAdapter } = context;
    let isBroken = true;
    const client = await open({
      stateAdapter: interceptState(stateAdapter, {
        before: (operation) => {
          if (operation === "acquireJobs" && isBroken) throw new LastingError("no such table");
        },
      }),
    });
    const processes: Processes = { task: async ({ complete }) => complete(null) };
    const error = await rejection(client.work(processes, { waitForStore: false }));
    expect(error).toBeInstanceOf(LastingError);
    expect(client.events.of("workerStopped")).toHaveLength(1);
    expect(client.events.gauges()).toEqual({});
    const started = await client.start("task");
    const worker = await client.work(processes, { waitForStore: true });
    isBroken = false;
    await client.until(started);
    await worker.stop();
  });

  rule("a stop that waits says for which jobs, and which were signalled", async (context) => {
    const { open, gate } = context;
    const client = await open({ clockTimes: 10 });
    const held = gate();
    const started = await client.start("task");
    const worker = await client.work(
      {
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      },
      { shutdownGraceMs: 500, shutdownTimeoutMs: 100_000 },
    );
    await held.arrived();
    const stopping = worker.stop();
    const delayed = await client.events.until("workerStopDelayed");
    expect(delayed).toMatchObject({
      runningCount: 1,
      running: [{ id: started.id, typeName: "task", isSignalled: true }],
    });
    expect(delayed.waitedMs).toBeGreaterThanOrEqual(1_990);
    const { message } = client.events.logged.find(({ type }) => type === "workerStopDelayed") ?? {};
    expect(message).toContain(`waits for task ${started.id} (`);
    held.open();
    await within(stopping, "the worker to stop", 2_000);
  });

  rule("a slot that another type occupies is not idle", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    await client.work(
      {
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
        other: async ({ complete }) => complete(null),
      },
      { concurrency: 1 },
    );
    expect(client.events.gauges()).toEqual({ "idle task": 1, "idle other": 1 });
    const started = await client.start("task");
    await held.arrived();
    const untilGauges = async (expected: Readonly<Record<string, number>>): Promise<void> => {
      await eventually(
        () => Promise.resolve(isDeepStrictEqual(client.events.gauges(), expected) || undefined),
        `the gauges ${JSON.stringify(expected)}`,
      );
    };
    await untilGauges({ "processing task": 1 });
    held.open();
    await client.until(started);
    await untilGauges({ "idle task": 1, "idle other": 1 });
  });

  rule("blocked time is not waiting time", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const blocker = await client.start("task");
    const waiting = await client.start("waiting", { startBlockers: async () => [blocker] });
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete(null);
      },
      waiting: async ({ complete }) => complete(null),
    });
    await held.arrived();
    await sleep(3 * graceMs);
    const releasedAt = performance.now();
    held.open();
    await client.until(waiting);
    const sinceReleaseMs = performance.now() - releasedAt;
    const attempts = client.events.of("jobAttemptStarted");
    const waited = attempts.find(({ id }) => id === waiting.id)?.waitedMs;
    expect(waited).toBeLessThanOrEqual(sinceReleaseMs);
  });

  rule(
    "jobs handed back by a statement whose result was lost are found at once",
    async (context) => {
      const { open, gate, stateAdapter } = context;
      const held = gate();
      let isLosing = false;
      const losing = interceptState(stateAdapter, {
        after: (operation) => {
          if (operation !== "rescheduleJobs" || !isLosing) return;
          isLosing = false;
          throw new StateFault("the result is lost");
        },
      });
      const client = await open();
      // Quick jobs first: a worker prefetches jobs if they are quick.
      const slowStore = {
        ...losing,
        acquireJobs: async (params: Parameters<typeof losing.acquireJobs>[0]) => {
          await sleep(5);
          return losing.acquireJobs(params);
        },
      };
      const prefetching = await open({ stateAdapter: slowStore });
      const quick = await client.queuert.transaction((tx) =>
        client.queuert.startJobSequences({
          ...tx,
          sequences: Array.from(
            { length: 60 },
            () => ({ typeName: "other", input: null }) as const,
          ),
        }),
      );
      await prefetching.work(
        {
          other: async ({ complete }) => complete(null),
          task: {
            leaseConfig: { leaseMs: 2_000, renewIntervalMs: 40 },
            process: async ({ job, complete }) => {
              if (job.input === "held") await held.pass();
              return complete(null);
            },
          },
        },
        { concurrency: 2, prefetch: 10, pollIntervalMs: 60_000 },
      );
      for (const one of quick) await client.until(one);
      isLosing = true;
      const slow = await prefetching.queuert.transaction((tx) =>
        prefetching.queuert.startJobSequences({
          ...tx,
          sequences: Array.from(
            { length: 6 },
            (_, index) => ({ typeName: "task", input: index < 2 ? "held" : null }) as const,
          ),
        }),
      );
      await held.arrived(2);
      await eventually(() => Promise.resolve(isLosing ? undefined : true), "the hand-back");
      held.open();
      for (const one of slow) await within(client.until(one), "the jobs handed back", 5_000);
    },
  );

  rule("a failure that repeats is logged once, and counted by the events", async (context) => {
    const { open, stateAdapter } = context;
    let failureCount = 0;
    const client = await open({
      clockTimes: 10,
      stateAdapter: interceptState(stateAdapter, {
        before: (operation) => {
          if (operation !== "acquireJobs" || failureCount >= 4) return;
          failureCount += 1;
          throw new StateFault("away");
        },
      }),
    });
    const started = await client.start("task");
    await client.work({ task: async ({ complete }) => complete(null) });
    await client.until(started);
    expect(client.events.of("workerError").length).toBe(4);
    const lines = client.events.logged.filter(({ level }) => isLevelWanted(level, "error"));
    expect(lines.filter(({ type }) => type === "workerError")).toHaveLength(1);
    expect(lines.filter(({ type }) => type === "stateAdapterError")).toHaveLength(1);
    expect(lines.find(({ type }) => type === "workerError")?.message).toMatch(
      /could not acquire jobs: away$/u,
    );
  });
});
