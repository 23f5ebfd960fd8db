import { expect } from "vitest";
import type { StateBounds, StateRate } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { settlesWithin, sleep, within } from "../waiting.ts";

/** Sets the limit of the type `task`. */
const limitTasks = async (
  stateAdapter: AnyStateAdapter,
  bounds: Partial<StateBounds>,
  name = "task",
): Promise<void> => {
  const limit = { name, concurrency: null, rate: null, declaration: null, ...bounds };
  await stateAdapter.setLimits({ limits: [limit] });
};

/** A token comes back long after the case. */
const slow = (burst: number): StateRate => ({ count: burst, perMs: burst * 10 * minuteMs, burst });

const toTypes = (typeNames: readonly string[]) =>
  typeNames.map((typeName) => ({ typeName, leaseMs: minuteMs, limit: 10 }));

export const acquireJobsLimitsSuite: StateSuite = defineStateSuite(
  "acquireJobs, limits",
  (rule) => {
    rule(
      "A type under a limit: at no moment do more than `concurrency` of its jobs hold an unexpired lease.",
      async ({ steps, secondSteps, stateAdapter }) => {
        await steps.create({}, {}, {}, {}, {});
        await limitTasks(stateAdapter, { concurrency: 2 });
        const [first, second] = await steps.acquire({ limit: 5 });
        expect(second).toBeDefined();
        expect(await secondSteps.acquire({ limit: 5 })).toEqual([]);
        if (first !== undefined) await steps.complete(first.job);
        expect(await secondSteps.acquire({ limit: 5 })).toHaveLength(1);
        if (second !== undefined) await steps.reschedule(second.job);
        expect(await steps.acquire({ limit: 5 })).toHaveLength(1);
        expect(await steps.acquire({ limit: 5 })).toEqual([]);
      },
    );

    rule("a permit ends with its lease", async ({ steps, stateAdapter }) => {
      await steps.create({ priority: 1 }, {}, {});
      await limitTasks(stateAdapter, { concurrency: 1 });
      const lost = await steps.acquireOne({ leaseMs: 1 });
      await steps.untilExpired(lost);
      // The job that was lost is first again, and takes the permit.
      const [again, ...others] = await steps.acquire({ limit: 3 });
      expect(again?.reclaimedFrom).toBe("worker-1");
      expect(others).toEqual([]);
      expect(await steps.acquire({ limit: 3 })).toEqual([]);
    });

    rule("a permit that was reclaimed is free", async ({ steps, stateAdapter }) => {
      await steps.create({}, {});
      await limitTasks(stateAdapter, { concurrency: 1 });
      await steps.untilExpired(await steps.acquireOne({ leaseMs: 1 }));
      await stateAdapter.reclaimExpiredLeases({ limit: 5 });
      expect(await steps.acquire({ limit: 5 })).toHaveLength(1);
    });

    rule("a limit of one type leaves others alone", async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, { typeName: "other" }, { typeName: "other" });
      await limitTasks(stateAdapter, { concurrency: 1 });
      const types = toTypes(["task", "other"]);
      const { jobs } = await stateAdapter.acquireJobs({ workerId: "w", limit: 10, types });
      const names = jobs.map(({ job }) => job.typeName).sort();
      expect(names).toEqual(["other", "other", "task"]);
    });

    rule("a concurrency of 0 starts nothing", async ({ steps, stateAdapter }) => {
      await steps.create({});
      await limitTasks(stateAdapter, { concurrency: 0 });
      expect(await steps.acquire()).toEqual([]);
      await limitTasks(stateAdapter, { concurrency: null });
      expect(await steps.acquire()).toHaveLength(1);
    });

    rule(
      "In any `perMs` at most `count` + `burst` - 1 of its jobs start, by the store's clock.",
      async ({ steps, secondSteps, stateAdapter }) => {
        const rate = { count: 4, perMs: 400, burst: 2 };
        await steps.create(...Array.from({ length: 12 }, () => ({})));
        await limitTasks(stateAdapter, { rate });
        const starts: number[] = [];
        const untilAll = async (): Promise<void> => {
          for (let turn = 0; starts.length < 12; turn++) {
            const one = turn % 2 === 0 ? steps : secondSteps;
            for (const { job } of await one.acquire({ limit: 12 })) {
              starts.push(job.lastAttemptAt?.getTime() ?? NaN);
              await one.complete(job);
            }
          }
        };
        await within(untilAll(), "all starts");
        starts.sort((left, right) => left - right);
        const { length } = starts.filter((at) => at < (starts[0] ?? 0) + rate.perMs);
        expect(length).toBeGreaterThan(1);
        for (const from of starts) {
          // Times are cut to milliseconds: a window begins with one.
          const started = starts.filter((at) => at >= from && at < from + rate.perMs - 1);
          expect(started.length).toBeLessThanOrEqual(rate.count + rate.burst - 1);
        }
      },
    );

    rule("retries and expired leases take tokens, too", async ({ steps, stateAdapter }) => {
      await steps.create({});
      await limitTasks(stateAdapter, { rate: slow(3) });
      await steps.reschedule(await steps.acquireOne());
      await steps.untilExpired(await steps.acquireOne({ leaseMs: 1 }));
      expect(await steps.acquire()).toHaveLength(1);
      const [last] = await stateAdapter.getLimits({ names: ["task"] });
      expect(last).toMatchObject({ tokens: 0, running: 1 });
      await steps.create({});
      expect(await steps.acquire()).toEqual([]);
    });

    rule(
      "Types under a limit get at most `slots` jobs in all: a job that cannot begin holds no permit.",
      async ({ steps, stateAdapter }) => {
        await steps.create({}, {}, {}, { typeName: "other" }, { typeName: "other" });
        await steps.create({ typeName: "free" }, { typeName: "free" }, { typeName: "free" });
        await limitTasks(stateAdapter, { concurrency: 10 });
        await limitTasks(stateAdapter, { concurrency: 10 }, "other");
        const types = toTypes(["task", "other", "free"]);
        const params = { workerId: "w", limit: 8, slots: 2, types };
        const { jobs, isLimited } = await stateAdapter.acquireJobs(params);
        expect(isLimited).toBe(true);
        const names = jobs.map(({ job }) => job.typeName);
        expect(names.filter((name) => name === "free")).toHaveLength(3);
        expect(names).toHaveLength(5);
        const again = await stateAdapter.acquireJobs({ ...params, slots: 0 });
        expect(again.jobs).toEqual([]);
        expect(again.isLimited).toBe(true);
        // Nothing but the end of an attempt gives a slot back.
        expect(again.nextDueInMs).not.toBe(0);
      },
    );

    rule(
      "`nextDueInMs` of a type at its limit is the moment of the next token, and a second if no permit is free.",
      async ({ steps, stateAdapter }) => {
        await steps.create({}, {}, {}, { typeName: "later", schedule: { afterMs: minuteMs } });
        const look = async (...typeNames: readonly string[]) => {
          const types = toTypes(typeNames);
          return stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
        };
        await limitTasks(stateAdapter, { rate: slow(1) });
        const { jobs, nextDueInMs, isLimited } = await look("task");
        expect(jobs).toHaveLength(1);
        expect(isLimited).toBe(true);
        expect(nextDueInMs).toBeGreaterThan(9 * minuteMs);
        expect(nextDueInMs).toBeLessThanOrEqual(10 * minuteMs);
        expect((await look("task", "later")).nextDueInMs).toBeLessThanOrEqual(minuteMs);
        await limitTasks(stateAdapter, { concurrency: 1 });
        const full = await look("task", "later");
        expect(full.nextDueInMs).toBeGreaterThan(0);
        expect(full.nextDueInMs).toBeLessThanOrEqual(1_000);
        expect(full.isLimited).toBe(true);
      },
    );

    rule("With `isLimited` due jobs were kept back.", async ({ steps, stateAdapter }) => {
      await steps.create({});
      await limitTasks(stateAdapter, { concurrency: 1 });
      const look = () =>
        stateAdapter.acquireJobs({ workerId: "w", limit: 5, types: toTypes(["task"]) });
      expect((await look()).isLimited ?? false).toBe(false);
      expect((await look()).isLimited ?? false).toBe(false);
      await steps.create({});
      expect((await look()).isLimited).toBe(true);
    });

    rule("a limit that keeps nothing back changes no due time", async ({ steps, stateAdapter }) => {
      await steps.create({}, { schedule: { afterMs: 30 * minuteMs } });
      await limitTasks(stateAdapter, { concurrency: 1, rate: slow(1) });
      const types = toTypes(["task"]);
      const result = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(result.jobs).toHaveLength(1);
      expect(result.isLimited ?? false).toBe(false);
      expect(result.nextDueInMs).toBeGreaterThan(29 * minuteMs);
    });

    rule("a locked job is passed by, and takes no permit", async (test) => {
      const { steps, stateAdapter, capabilities, openTransaction } = test;
      const [first] = await steps.create({ priority: 1 }, {});
      await limitTasks(stateAdapter, { concurrency: 1 });
      const transaction = await openTransaction();
      await stateAdapter.lockSequences({
        context: transaction.context,
        ids: [first?.id ?? ""],
      });
      const acquiring = steps.acquire({ limit: 2 });
      await settlesWithin(acquiring, test.patienceMs(capabilities.concurrentWriters));
      await transaction.rollback();
      expect(await within(acquiring, "the acquisition")).toHaveLength(1);
      expect(await steps.acquire({ limit: 2 })).toEqual([]);
    });

    rule("callers at the same time stay within the limit", async (test) => {
      const { steps, secondSteps, stateAdapter } = test;
      await steps.create(...Array.from({ length: 30 }, () => ({})));
      await limitTasks(stateAdapter, { concurrency: 3 });
      let done = 0;
      const work = async (one: typeof steps): Promise<void> => {
        while (done < 30) {
          // A store without input and output would otherwise never let the timers of another one fire.
          await sleep(0);
          for (const { job } of await one.acquire({ limit: 5 })) {
            const [limit] = await stateAdapter.getLimits({ names: null });
            expect(limit?.running).toBeLessThanOrEqual(3);
            await one.complete(job);
            done++;
          }
        }
      };
      await within(
        Promise.all([steps, secondSteps, steps, secondSteps].map(work)),
        "the workers",
        30_000,
      );
      expect(done).toBe(30);
    });
  },
);
