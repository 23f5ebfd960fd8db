import { expect } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { eventually, graceMs, settlesWithin, within } from "../waiting.ts";

const everything = { typeName: null };
const task = { typeName: "task" };
const other = { typeName: "other" };

const pauseTask = (stateAdapter: AnyStateAdapter, forMs: number | null = null): Promise<void> =>
  stateAdapter.pause({ targets: [task], forMs, note: null });

const nextDueInMs = async (
  stateAdapter: AnyStateAdapter,
  ...typeNames: readonly string[]
): Promise<number | null> => {
  const types = typeNames.map((typeName) => ({ typeName, leaseMs: minuteMs, limit: 10 }));
  const acquired = await stateAdapter.acquireJobs({ workerId: "w", limit: 10, types });
  return acquired.nextDueInMs;
};

export const pauseSuite: StateSuite = defineStateSuite("pause", (rule) => {
  rule(
    "After it has resolved, no acquisition that begins takes a job of them, in any process.",
    async ({ steps, secondSteps, stateAdapter, secondStateAdapter }) => {
      const [job] = await steps.create({});
      const unpaused = await steps.createOne({ typeName: "other" });
      await pauseTask(stateAdapter);
      expect(await steps.acquire()).toEqual([]);
      expect(await secondSteps.acquire()).toEqual([]);
      const types = [task, other].map((type) => ({ ...type, leaseMs: minuteMs, limit: 5 }));
      const { jobs } = await secondStateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(jobs.map((each) => each.job.id)).toEqual([unpaused.id]);
      expect(await steps.get(job ?? unpaused)).toEqual(job);
    },
  );

  rule("Running jobs go on.", async ({ steps, stateAdapter }) => {
    const running = await steps.createRunning();
    await pauseTask(stateAdapter);
    expect(await steps.renew(running)).toEqual({ kind: "held" });
    expect((await steps.complete(running)).kind).toBe("completed");
  });

  rule(
    "a job that is due again waits for the end of the pause",
    async ({ steps, stateAdapter }) => {
      const [retried, lost] = [
        await steps.createRunning(),
        await steps.createRunning({}, { leaseMs: 1 }),
      ];
      await pauseTask(stateAdapter);
      await steps.reschedule(retried);
      await steps.untilExpired(lost);
      expect(await steps.acquire({ limit: 5 })).toEqual([]);
      expect(await stateAdapter.reclaimExpiredLeases({ limit: 5 })).toHaveLength(1);
      expect(await steps.acquire({ limit: 5 })).toEqual([]);
      await stateAdapter.resume({ targets: [task] });
      expect(await steps.acquire({ limit: 5 })).toHaveLength(2);
    },
  );

  rule("every type at once", async ({ steps, stateAdapter }) => {
    await steps.create({}, { typeName: "other" });
    await stateAdapter.pause({ targets: [everything], forMs: null, note: null });
    expect(await steps.acquire()).toEqual([]);
    expect(await steps.acquire({ typeName: "other" })).toEqual([]);
    await stateAdapter.resume({ targets: [everything] });
    expect(await steps.acquire()).toHaveLength(1);
    expect(await steps.acquire({ typeName: "other" })).toHaveLength(1);
  });

  rule(
    "A pause of every type and that of one type are two: a job is acquired when neither holds.",
    async ({ steps, stateAdapter }) => {
      await steps.createOne();
      await stateAdapter.pause({ targets: [everything, task], forMs: null, note: null });
      expect(await stateAdapter.resume({ targets: [everything] })).toEqual([true]);
      expect(await steps.acquire()).toEqual([]);
      await stateAdapter.pause({ targets: [everything], forMs: null, note: null });
      expect(await stateAdapter.resume({ targets: [task] })).toEqual([true]);
      expect(await steps.acquire()).toEqual([]);
      await stateAdapter.resume({ targets: [everything] });
      expect(await steps.acquire()).toHaveLength(1);
    },
  );

  rule(
    "It ends by itself after `forMs`, by the store's clock.",
    async ({ steps, stateAdapter }) => {
      await steps.createOne();
      await pauseTask(stateAdapter, 200);
      const [pause] = await stateAdapter.getPauses();
      const { until } = pause ?? { until: null };
      const acquired = await eventually(async () => (await steps.acquire())[0], "the job");
      expect(acquired.job.lastAttemptAt?.getTime()).toBeGreaterThanOrEqual(
        until?.getTime() ?? Infinity,
      );
      expect(await stateAdapter.getPauses()).toEqual([]);
      expect(await stateAdapter.resume({ targets: [task] })).toEqual([false]);
    },
  );

  rule(
    "A pause of a target that is paused replaces the earlier one.",
    async ({ steps, stateAdapter }) => {
      await steps.createOne();
      await pauseTask(stateAdapter, 1);
      await stateAdapter.pause({ targets: [task, task], forMs: thirtyDaysMs, note: "longer" });
      const pauses = await stateAdapter.getPauses();
      expect(pauses).toMatchObject([{ ...task, note: "longer" }]);
      expect(await steps.acquire()).toEqual([]);
    },
  );

  rule(
    "With `extends` a pause that ends later stays as it is.",
    async ({ steps, stateAdapter, secondStateAdapter }) => {
      await steps.createOne();
      const extend = (adapter: AnyStateAdapter, forMs: number | null, note: string) =>
        adapter.pause({ targets: [task], forMs, note, extends: true });
      const noteOf = async () => (await stateAdapter.getPauses()).map(({ note }) => note);
      await extend(stateAdapter, 10 * minuteMs, "first");
      await extend(stateAdapter, 1, "shorter");
      expect(await noteOf()).toEqual(["first"]);
      await extend(stateAdapter, 20 * minuteMs, "longer");
      expect(await noteOf()).toEqual(["longer"]);
      // From two processes at once: the later end stays.
      const waits = [30, 60, 40, 50].map((minutes, index) =>
        extend(
          index % 2 ? stateAdapter : secondStateAdapter,
          minutes * minuteMs,
          `${minutes} minutes`,
        ),
      );
      await within(Promise.all(waits), "the pauses");
      expect(await noteOf()).toEqual(["60 minutes"]);
      await extend(stateAdapter, null, "without an end");
      await extend(stateAdapter, thirtyDaysMs, "shorter");
      expect(await noteOf()).toEqual(["without an end"]);
      expect(await steps.acquire()).toEqual([]);
      await pauseTask(stateAdapter, 1);
      expect(await eventually(async () => (await steps.acquire())[0], "the job")).toMatchObject({
        job: { typeName: "task" },
      });
    },
  );

  rule(
    "Jobs of a paused type stay as they are. `nextDueInMs` has the end of the pause instead of their due time.",
    async ({ steps, stateAdapter }) => {
      await steps.createOne();
      await pauseTask(stateAdapter);
      expect(await nextDueInMs(stateAdapter, "task")).toBeNull();
      await steps.createOne({ typeName: "other", schedule: { afterMs: 30 * minuteMs } });
      const later = await nextDueInMs(stateAdapter, "task", "other");
      expect(later).toBeGreaterThan(29 * minuteMs);
      await pauseTask(stateAdapter, 10 * minuteMs);
      const resumes = await nextDueInMs(stateAdapter, "task", "other");
      expect(resumes).toBeGreaterThan(9 * minuteMs);
      expect(resumes).toBeLessThanOrEqual(10 * minuteMs);
    },
  );

  rule("an empty list pauses nothing", async ({ steps, stateAdapter }) => {
    await stateAdapter.pause({ targets: [], forMs: null, note: null });
    expect(await stateAdapter.resume({ targets: [] })).toEqual([]);
    expect(await stateAdapter.getPauses()).toEqual([]);
    await steps.createOne();
    expect(await steps.acquire()).toHaveLength(1);
  });

  rule("a type of any name, with a note of any text", async ({ steps, stateAdapter }) => {
    for (const typeName of ["$type", 'it\'s "quoted"', "ünïcode", "a.b"]) {
      const note = `why '${typeName}' $note`;
      await steps.createOne({ typeName });
      await stateAdapter.pause({ targets: [{ typeName }], forMs: null, note });
      expect(await steps.acquire({ typeName })).toEqual([]);
      expect(await stateAdapter.getPauses()).toMatchObject([{ typeName, note }]);
      expect(await stateAdapter.resume({ targets: [{ typeName }] })).toEqual([true]);
      expect(await steps.acquire({ typeName })).toHaveLength(1);
    }
  });

  rule("an open transaction does not keep a pause from beginning", async (test) => {
    const { steps, stateAdapter, secondStateAdapter, openTransaction, capabilities } = test;
    const transaction = await openTransaction();
    await transaction.steps.createOne();
    const pausing = pauseTask(secondStateAdapter);
    await settlesWithin(pausing, test.patienceMs(capabilities.concurrentWriters));
    await transaction.commit();
    await within(pausing, "the pause");
    expect(await steps.acquire()).toEqual([]);
    await stateAdapter.resume({ targets: [task] });
    expect(await steps.acquire()).toHaveLength(1);
  });

  rule("acquisitions that overlap with a pause take jobs before it only", async (test) => {
    const { steps, secondSteps, stateAdapter } = test;
    await steps.create(...Array.from({ length: 60 }, () => ({})));
    const taking = Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? steps : secondSteps).acquire({ limit: 2 }),
      ),
    );
    await pauseTask(stateAdapter);
    const after = await Promise.all([
      steps.acquire({ limit: 50 }),
      secondSteps.acquire({ limit: 50 }),
    ]);
    expect(after).toEqual([[], []]);
    const before = await within(taking, "the acquisitions");
    await settlesWithin(Promise.resolve(), graceMs);
    await stateAdapter.resume({ targets: [task] });
    const rest = await steps.acquire({ limit: 60 });
    expect(before.flat().length + rest.length).toBe(60);
  });
});
