import { expect } from "vitest";
import type { JobScheduledListener } from "../../adapters/notify-adapter.ts";
import { createLossyNotifyAdapter } from "../notify-faults.ts";
import { createStateSteps } from "../steps.ts";
import { eventually, graceMs, sleep, within } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements, interceptState } from "./intercept-state.ts";
import { overrideNotify, recordNotify } from "./override-notify.ts";
import { rejection } from "./rejection.ts";
import { watchClaims } from "./watch-claims.ts";

/** So long that only a notification can bring a worker its job in time. */
const longPollMs = 60_000;
const promptMs = 2_000;

export const notifyingSuite: BehaviourSuite = defineBehaviourSuite("notifying", (rule) => {
  rule("withNotify gathers: one message, with a count per type", async (context) => {
    const { open, notifyAdapter, stateAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    const { told } = recording;
    await client.queuert.withNotify(async () => {
      await stateAdapter.runInTransaction(async (tx) => {
        await client.startIn(tx, "task");
        await client.startIn(tx, "other");
        await client.startIn(tx, "task");
      });
      await stateAdapter.runInTransaction((tx) => client.startIn(tx, "task"));
      expect(told.scheduled).toEqual([]);
    });
    expect(told.scheduled).toEqual([{ task: 3, other: 1 }]);
    expect(client.events.of("notifyContextAbsence")).toEqual([]);
  });

  rule("transaction tells after its commit, not before", async (context) => {
    const { open, notifyAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    await client.queuert.transaction(async (tx) => {
      await client.startIn(tx, "task");
      expect(recording.told.scheduled).toEqual([]);
      expect(client.events.of("jobCreated")).toEqual([]);
    });
    expect(recording.told.scheduled).toEqual([{ task: 1 }]);
    expect(client.events.of("jobCreated")).toHaveLength(1);
  });

  rule("withNotify within withNotify tells once, with the outer one", async (context) => {
    const { open, notifyAdapter, stateAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    const { queuert } = client;
    await queuert.withNotify(async () => {
      await queuert.withNotify(() =>
        stateAdapter.runInTransaction((tx) => client.startIn(tx, "task")),
      );
      expect(recording.told.scheduled).toEqual([]);
      await stateAdapter.runInTransaction((tx) => client.startIn(tx, "task"));
    });
    expect(recording.told.scheduled).toEqual([{ task: 2 }]);
  });

  rule("transaction within withNotify tells at once: it has committed", async (context) => {
    const { open, notifyAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    await client.queuert.withNotify(async () => {
      await client.start("task");
      expect(recording.told.scheduled).toEqual([{ task: 1 }]);
    });
    expect(recording.told.scheduled).toEqual([{ task: 1 }]);
  });

  rule("a rolled-back transaction notifies nothing", async (context) => {
    const { open, notifyAdapter, stateAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    const rolledBack = new Error("rolled back on purpose");
    const startAndThrow = async (tx: object): Promise<never> => {
      await client.startIn(tx, "task");
      throw rolledBack;
    };
    expect(await rejection(client.queuert.transaction(startAndThrow))).toBe(rolledBack);
    const inner = client.queuert.withNotify(() => stateAdapter.runInTransaction(startAndThrow));
    expect(await rejection(inner)).toBe(rolledBack);
    expect(await rejection(stateAdapter.runInTransaction(startAndThrow))).toBe(rolledBack);
    await client.start("other");
    // Long enough for the forgotten wrapper to have been made up for, were there anything to tell.
    await sleep(3 * graceMs);
    expect(recording.told.scheduled).toEqual([{ other: 1 }]);
    expect(client.events.of("jobCreated")).toHaveLength(1);
  });

  rule("withNotify that throws notifies the work committed in it", async (context) => {
    const { open, notifyAdapter, stateAdapter } = context;
    const recording = recordNotify(notifyAdapter);
    const client = await open({ notifyAdapter: recording.notifyAdapter });
    const thrown = new Error("after an inner commit");
    const gathering = client.queuert.withNotify(async () => {
      await stateAdapter.runInTransaction((tx) => client.startIn(tx, "task"));
      const rolledBack = stateAdapter.runInTransaction(async (tx) => {
        await client.startIn(tx, "other");
        throw thrown;
      });
      expect(await rejection(rolledBack)).toBe(thrown);
      await client.queuert.withNotify(() =>
        stateAdapter.runInTransaction((tx) => client.startIn(tx, "task")),
      );
      throw thrown;
    });
    expect(await rejection(gathering)).toBe(thrown);
    const { told } = recording;
    await eventually(
      () => Promise.resolve(told.scheduled.length === 2 ? true : undefined),
      "two messages about the committed work",
    );
    await sleep(graceMs);
    expect(told.scheduled).toEqual([{ task: 1 }, { task: 1 }]);
    expect(client.events.of("jobCreated")).toHaveLength(2);
    expect(client.events.of("notifyContextAbsence")).toEqual([]);
  });

  rule("a forgotten withNotify costs milliseconds, not a poll interval", async (context) => {
    const { open, stateAdapter } = context;
    const { adapter, untilIdle } = watchClaims(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    const early = await client.start("task");
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: longPollMs },
    );
    // Past the look that every worker begins with, so that nothing but the announcement can find the next one.
    await client.until(early);
    await untilIdle();
    const started = await stateAdapter.runInTransaction((tx) => client.startIn(tx, "task"));
    expect(client.events.of("notifyContextAbsence")).toMatchObject([
      { operation: "startJobSequence" },
    ]);
    await within(client.until(started), "a job without a notification", promptMs);
    await eventually(
      async () => client.events.of("jobCreated").at(1),
      "the event of a start that was found to be committed",
    );
    expect(client.events.of("jobCreated")).toHaveLength(2);
  });

  rule("an idle worker hears of new work at once", async ({ open, openSecond, stateAdapter }) => {
    const { adapter, untilIdle } = watchClaims(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    const second = await openSecond();
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: longPollMs },
    );
    await untilIdle();
    await within(client.until(await second.start("task")), "the first job", promptMs);
    await within(client.until(await second.start("task")), "the second job", promptMs);
  });

  rule("a busy worker that was told of work takes it as soon as it can", async (context) => {
    const { open, gate } = context;
    const client = await open();
    const held = gate();
    const first = await client.start("task", { input: "first" });
    await client.work(
      {
        task: async ({ job, complete }) => {
          if (job.input === "first") await held.pass();
          return complete(null);
        },
      },
      { pollIntervalMs: longPollMs, concurrency: 1 },
    );
    await held.arrived();
    const others = [await client.start("task"), await client.start("task")];
    held.open();
    for (const one of [first, ...others]) {
      await within(client.until(one), "the jobs announced meanwhile", promptMs);
    }
  });

  rule("hints that came while a claim was on its way are taken off the demand", async (context) => {
    const { open, gate, notifyAdapter, stateAdapter } = context;
    const looking = gate();
    let isArmed = false;
    let listener: JobScheduledListener | undefined;
    const client = await open({
      stateAdapter: interceptState(stateAdapter, {
        before: (operation) =>
          operation === "acquireJobs" && isArmed ? looking.pass() : undefined,
      }),
      notifyAdapter: overrideNotify(notifyAdapter, {
        listenJobScheduled: (given) => {
          listener = given;
          return notifyAdapter.listenJobScheduled(given);
        },
      }),
    });
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: longPollMs, concurrency: 5, prefetch: 0 },
    );
    const demand = (): number => listener?.demand?.("task") ?? -1;
    isArmed = true;
    await eventually(
      () => Promise.resolve(demand() === 5 ? true : undefined),
      "an idle worker to demand as much as it has slots",
    );
    listener?.onJobScheduled("task", 2);
    expect(demand()).toBe(3);
    await looking.arrived();
    listener?.onJobScheduled("task", 2);
    expect(demand()).toBe(1);
    isArmed = false;
    looking.open();
    await eventually(
      () => Promise.resolve(demand() === 5 ? true : undefined),
      "a worker that has found nothing to demand as much as before",
    );
  });

  rule("a busy worker hears of work it had no room for", async (context) => {
    const { open, gate, stateAdapter } = context;
    const held = gate();
    const client = await open();
    const steps = createStateSteps(stateAdapter);
    let limit = 0;
    let isArmed = false;
    const worker = await open({
      stateAdapter: {
        ...stateAdapter,
        acquireJobs: async (params) => {
          // A claim takes a while: quick jobs teach the worker to fetch ahead.
          await sleep(5);
          limit = params.limit;
          if (isArmed) {
            isArmed = false;
            // One job fewer than it asks for, without a notification and slow. After this it waits
            // for work, while it runs more jobs than it would acquire now.
            await steps.create(
              ...Array.from({ length: limit - 2 }, () => ({ typeName: "task", input: "null" })),
            );
          }
          return stateAdapter.acquireJobs(params);
        },
      },
    });
    await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 60 }, () => ({ typeName: "other", input: null }) as const),
      }),
    );
    await worker.work(
      {
        other: async ({ complete }) => complete(null),
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      },
      { concurrency: 2, prefetch: 20, pollIntervalMs: longPollMs },
    );
    const { items } = await client.queuert.listJobs({ typeName: "other", limit: 60 });
    for (const one of items) await client.until(one);
    isArmed = true;
    await client.start("other");
    await within(held.arrived(2), "the slow jobs to begin", promptMs);
    expect(limit).toBeGreaterThan(4);
    await sleep(20); // The claim that brought them is over.
    const late = await client.start("task");
    held.open();
    await within(client.until(late), "the jobs notified while it was full", promptMs);
  });

  rule("continuations, released dependants and retries are announced", async (context) => {
    const { open, stateAdapter } = context;
    const { adapter, untilIdle } = watchClaims(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    // Each type has a worker of its own: only a notification brings it its job.
    const options = { pollIntervalMs: longPollMs };
    await client.work(
      {
        next: {
          retryConfig: { initialDelayMs: 1 },
          process: async ({ job, complete }) => {
            if (job.attempt === 1) throw new Error("again");
            return complete("end");
          },
        },
      },
      options,
    );
    await client.work(
      { waiting: async ({ job, complete }) => complete(job.blockers.length) },
      options,
    );
    await untilIdle(2);
    const first = await client.start("first");
    const waiting = await client.start("waiting", {
      startBlockers: () => Promise.resolve([first]),
    });
    await client.work(
      { first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }) },
      options,
    );
    await within(client.until(waiting), "the dependant", promptMs);
  });

  rule("lost, late and repeated notifications lose and double nothing", async (context) => {
    const { open, notifyAdapter, random } = context;
    const lossy = createLossyNotifyAdapter(notifyAdapter, {
      random,
      loses: 0.4,
      repeats: 0.3,
      delays: 0.3,
      rejects: 0.1,
      delayMsMax: 30,
    });
    // Closing it would close connections of the harness.
    const client = await open({ notifyAdapter: lossy });
    const runs = new Map<string, number>();
    await client.work({
      first: async ({ job, complete }) => {
        runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
        return complete.continueWith({ typeName: "next", input: null });
      },
      next: async ({ job, complete }) => {
        runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
        return complete(null);
      },
    });
    const started = await Promise.all(Array.from({ length: 30 }, () => client.start("first")));
    await Promise.all(
      started.map(({ id }) =>
        client.queuert.waitForJobSequenceCompletion({ typeName: "first", id, timeoutMs: 10_000 }),
      ),
    );
    expect(runs.size).toBe(60);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    await sleep(graceMs); // The late ones arrive, and find nothing left to do.
  });

  rule("a transport that refuses everything harms nothing", async ({ open, notifyAdapter }) => {
    const refuse = (): Promise<never> => Promise.reject(new Error("no connection"));
    const client = await open({
      notifyAdapter: overrideNotify(notifyAdapter, {
        notifyJobScheduled: refuse,
        notifyJobSequenceCompleted: refuse,
        notifyJobOwnershipLost: refuse,
        listenJobScheduled: refuse,
        listenJobSequenceCompleted: refuse,
        listenJobOwnershipLost: refuse,
      }),
    });
    await client.work({ task: async ({ complete }) => complete("out") });
    const { id } = await client.start("task");
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs: 10_000,
    });
    expect(await waiting).toMatchObject({ output: "out" });
    const operations = client.events.of("notifyAdapterError").map(({ operation }) => operation);
    expect(operations).toEqual(
      expect.arrayContaining(["notifyJobScheduled", "listenJobScheduled"]),
    );
  });

  rule("a transport that throws instead of rejecting harms nothing", async (context) => {
    const { open, notifyAdapter } = context;
    const boom = (): never => {
      throw new Error("not even a promise");
    };
    const client = await open({
      notifyAdapter: overrideNotify(notifyAdapter, {
        notifyJobScheduled: boom,
        notifyJobSequenceCompleted: boom,
        listenJobSequenceCompleted: boom,
      }),
    });
    await client.work({ task: async ({ complete }) => complete("out") });
    // The start is committed, so it does not fail because of later errors.
    const { id } = await client.start("task");
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs: 10_000,
    });
    expect(await waiting).toMatchObject({ output: "out" });
    expect(client.events.of("notifyAdapterError").length).toBeGreaterThan(0);
  });

  rule("adapters may be instances of classes", async ({ open, notifyAdapter, stateAdapter }) => {
    // Methods on a prototype, as a class has them, with a `this` that they need.
    const asClass = <T extends object>(adapter: T): T => {
      const prototype: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(adapter)) {
        if (typeof value !== "function") continue;
        prototype[name] = function (this: { readonly target: T }, ...args: unknown[]): unknown {
          // Called without its instance it has no target.
          return (this.target as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
        };
      }
      const own = Object.entries(adapter).filter(([, value]) => typeof value !== "function");
      const instance: unknown = Object.assign(Object.create(prototype), Object.fromEntries(own), {
        target: adapter,
      });
      return instance as T;
    };
    const client = await open({
      notifyAdapter: asClass(overrideNotify(notifyAdapter, {})),
      stateAdapter: asClass(stateAdapter),
    });
    await client.work({ task: async ({ complete }) => complete(async () => "out") });
    const { id } = await client.start("task");
    expect(await client.until({ id })).toMatchObject({ output: "out" });
  });

  rule("an idle worker makes no statements but its poll", async ({ open, stateAdapter }) => {
    const { adapter, counts, total } = countStatements(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    const pollIntervalMs = 100;
    const startedAt = performance.now();
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs, concurrency: 50 },
    );
    await eventually(() => Promise.resolve(total() >= 4 ? true : undefined), "a few polls");
    // Polls are spread by a tenth.
    const polls = (performance.now() - startedAt) / (0.9 * pollIntervalMs);
    // The first listener makes the client read the identity of the store, once.
    const { getStoreId = 0, ...others } = Object.fromEntries(counts);
    expect(getStoreId).toBeLessThanOrEqual(1);
    // One probe of the schedules with each poll.
    expect(Object.keys(others).sort()).toEqual(["acquireJobs", "nextScheduleInMs"]);
    expect(total() - getStoreId).toBeLessThanOrEqual(2 * (polls + 1));
  });

  rule("an idle client makes no statements at all", async ({ open, stateAdapter }) => {
    const { adapter, total } = countStatements(stateAdapter);
    await open({ stateAdapter: adapter });
    await sleep(graceMs);
    expect(total()).toBe(0);
  });

  rule("a worker starts and stops though its transport never answers", async (context) => {
    const { open, notifyAdapter } = context;
    const never = (): Promise<never> => new Promise(() => undefined);
    const client = await open({
      clockTimes: 10,
      notifyAdapter: overrideNotify(notifyAdapter, {
        listenJobScheduled: never,
        listenJobOwnershipLost: never,
        notifyJobScheduled: never,
      }),
    });
    const started = await client.start("task");
    const working = client.work({ task: async ({ complete }) => complete(null) });
    const worker = await within(working, "the worker to start", 5_000);
    await client.until(started);
    await within(worker.stop(), "the worker to stop", 5_000);
  });
});
