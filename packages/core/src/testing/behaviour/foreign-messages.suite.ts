import { expect } from "vitest";
import type { JobScheduledListener, NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { schedulesChangedName } from "../../schedules/schedule-changes.ts";
import { eventually, sleep, within } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements } from "./intercept-state.ts";
import { overrideNotify } from "./override-notify.ts";

const floodCount = 600;

/** Longer than the pause after a query on account of a notification. */
const severalPausesMs = 250;

interface Listeners {
  readonly notifyAdapter: NotifyAdapter;
  readonly ownershipLost: (jobId: string) => void;
  readonly sequenceCompleted: (sequenceId: string) => void;
  readonly jobScheduled: (typeName: string, count?: number) => void;
}

/**
 * The adapter, and the listener that it calls when a message arrives. A forged message calls the
 * same listener.
 */
const captureListeners = (adapter: NotifyAdapter): Listeners => {
  const onLost: ((jobId: string) => void)[] = [];
  const onCompleted: ((sequenceId: string) => void)[] = [];
  const onScheduled: JobScheduledListener["onJobScheduled"][] = [];
  return {
    notifyAdapter: overrideNotify(adapter, {
      listenJobScheduled: (listener) => {
        onScheduled.push(listener.onJobScheduled);
        return adapter.listenJobScheduled(listener);
      },
      listenJobSequenceCompleted: (listener) => {
        onCompleted.push(listener.onSequenceCompleted);
        return adapter.listenJobSequenceCompleted(listener);
      },
      listenJobOwnershipLost: (listener) => {
        onLost.push(listener.onOwnershipLost);
        return adapter.listenJobOwnershipLost(listener);
      },
    }),
    ownershipLost: (jobId) => {
      for (const listener of onLost) listener(jobId);
    },
    sequenceCompleted: (sequenceId) => {
      for (const listener of onCompleted) listener(sequenceId);
    },
    jobScheduled: (typeName, count) => {
      for (const listener of onScheduled) listener(typeName, count);
    },
  };
};

const manyIds = (prefix: string): readonly string[] =>
  Array.from({ length: 20_000 }, (_, index) => `${prefix}-${index}`);

export const foreignMessagesSuite: BehaviourSuite = defineBehaviourSuite(
  "foreign messages",
  (rule) => {
    rule("ownership notifications about other jobs cost no query", async (context) => {
      const { open, gate, notifyAdapter, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const listeners = captureListeners(notifyAdapter);
      const client = await open({
        stateAdapter: adapter,
        notifyAdapter: listeners.notifyAdapter,
      });
      const held = gate();
      const started = await client.start("task");
      await client.work({
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      });
      await held.arrived();
      const before = counts.get("getJobs") ?? 0;
      for (let message = 0; message < floodCount; message += 1) {
        listeners.ownershipLost(`foreign-${message}`);
      }
      for (const id of manyIds("listed")) listeners.ownershipLost(id);
      listeners.ownershipLost("x".repeat(1_000_000));
      await sleep(severalPausesMs);
      expect(counts.get("getJobs") ?? 0).toBe(before);
      held.open();
      await client.until(started);
    });

    rule("ownership notifications about running jobs share queries", async (context) => {
      const { open, gate, notifyAdapter, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const listeners = captureListeners(notifyAdapter);
      const client = await open({
        stateAdapter: adapter,
        notifyAdapter: listeners.notifyAdapter,
      });
      const held = gate();
      const started = await Promise.all([1, 2, 3, 4].map(() => client.start("task")));
      await client.work({
        task: async ({ complete, signal }) => {
          await held.pass();
          return complete(signal.aborted);
        },
      });
      await held.arrived(4);
      const before = counts.get("getJobs") ?? 0;
      const startedAt = performance.now();
      for (let round = 0; round < 10; round += 1) {
        for (let message = 0; message < floodCount; message += 1) {
          for (const { id } of started) listeners.ownershipLost(id);
        }
        for (const id of manyIds(`round-${round}`)) listeners.ownershipLost(id);
        await sleep(10);
      }
      await sleep(severalPausesMs);
      const queryCount = (counts.get("getJobs") ?? 0) - before;
      expect(queryCount).toBeGreaterThan(0);
      // One at once, and one for each pause of 100 ms.
      expect(queryCount).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 100);
      held.open();
      for (const one of started) expect(await client.until(one)).toMatchObject({ output: false });
    });

    rule("a genuine ownership notification is found among forged ones", async (context) => {
      const { open, gate, notifyAdapter } = context;
      const listeners = captureListeners(notifyAdapter);
      const client = await open({ notifyAdapter: listeners.notifyAdapter });
      const other = await open();
      const held = gate();
      const reasons: unknown[] = [];
      const started = await client.start("task");
      await client.work({
        task: async ({ complete, signal }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await held.pass();
          return complete(null);
        },
      });
      await held.arrived();
      await other.queuert.transaction((tx) =>
        other.queuert.completeJobSequence({
          ...tx,
          id: started.id,
          typeName: "task",
          complete: ({ job, complete }) => complete(job, async () => "elsewhere"),
        }),
      );
      for (const id of manyIds("forged")) listeners.ownershipLost(id);
      listeners.ownershipLost(started.id);
      for (const id of manyIds("forged")) listeners.ownershipLost(id);
      await within(
        eventually(() => Promise.resolve(reasons[0]), "the signal"),
        "the loss to be noticed",
        2_000,
      );
      expect(reasons).toEqual(["already_completed"]);
      held.open();
    });

    rule("completion notifications for awaited sequences share queries", async (context) => {
      const { open, notifyAdapter, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const listeners = captureListeners(notifyAdapter);
      const client = await open({
        stateAdapter: adapter,
        notifyAdapter: listeners.notifyAdapter,
      });
      const started = await client.start("task");
      const waiting = client.queuert.waitForJobSequenceCompletion({
        typeName: "task",
        id: started.id,
        timeoutMs: 20_000,
        pollIntervalMs: 60_000,
      });
      await eventually(
        () => Promise.resolve(counts.get("getSequences")),
        "the first query of the waiter",
      );
      await sleep(20);
      const before = counts.get("getSequences") ?? 0;
      const startedAt = performance.now();
      for (let round = 0; round < 100; round += 1) {
        for (let message = 0; message < floodCount; message += 1) {
          listeners.sequenceCompleted(started.id);
          listeners.sequenceCompleted(`foreign-${message}`);
        }
        await sleep(1);
      }
      const queryCount = (counts.get("getSequences") ?? 0) - before;
      // For each pause of 25 ms the query that ends it, and one for notifications that arrived during that query.
      expect(queryCount).toBeLessThanOrEqual(4 + (2 * (performance.now() - startedAt)) / 25);
      await client.work({ task: async ({ complete }) => complete("out") });
      expect(await within(waiting, "the end of the sequence", 5_000)).toMatchObject({
        output: "out",
      });
    });

    rule("messages that schedules have changed share looks", async (context) => {
      const { open, notifyAdapter, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const listeners = captureListeners(notifyAdapter);
      const client = await open({ stateAdapter: adapter, notifyAdapter: listeners.notifyAdapter });
      await client.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: 60_000 },
      );
      await eventually(
        () => Promise.resolve(counts.get("nextScheduleInMs")),
        "the first look of the worker",
      );
      const before = counts.get("nextScheduleInMs") ?? 0;
      const startedAt = performance.now();
      for (let round = 0; round < 10; round += 1) {
        for (let message = 0; message < floodCount; message += 1) {
          listeners.ownershipLost(schedulesChangedName);
        }
        await sleep(10);
      }
      await sleep(severalPausesMs);
      const lookCount = (counts.get("nextScheduleInMs") ?? 0) - before;
      expect(lookCount).toBeGreaterThan(0);
      expect(lookCount).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 100);
    });

    rule("hints about jobs that are not there cost one acquisition at a time", async (context) => {
      const { open, notifyAdapter, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const listeners = captureListeners(notifyAdapter);
      const client = await open({
        stateAdapter: adapter,
        notifyAdapter: listeners.notifyAdapter,
      });
      await client.work(
        { task: async ({ complete }) => complete("out") },
        { pollIntervalMs: 60_000 },
      );
      await eventually(
        () => Promise.resolve(counts.get("acquireJobs")),
        "the first query of the worker",
      );
      const before = counts.get("acquireJobs") ?? 0;
      for (let message = 0; message < floodCount; message += 1) {
        listeners.jobScheduled("task", 1_000_000_000);
        listeners.jobScheduled("task", Number.NaN);
        listeners.jobScheduled("task", -5);
        listeners.jobScheduled("task");
        listeners.jobScheduled("of no worker", 3);
      }
      await sleep(severalPausesMs);
      // All of them arrive in one turn. A query that begins after the last of them covers all of
      // them.
      expect((counts.get("acquireJobs") ?? 0) - before).toBeLessThanOrEqual(3);
      // The worker demands jobs as before.
      const started = await client.start("task");
      await within(client.until(started), "a job that is announced afterwards", 2_000);
    });
  },
);
