import { expect } from "vitest";
import type { BatchCondition } from "../../adapters/state-adapter-limits.ts";
import type { AcquireJobsResult } from "../../adapters/state-adapter-params.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { settlesWithin, within } from "../waiting.ts";

/** Looks for a batch of the type `task`. By age only a job of long ago is enough. */
const look = (
  { acquireJobs }: AnyStateAdapter,
  batch: Partial<BatchCondition> = {},
  limit = 10,
): Promise<AcquireJobsResult> =>
  acquireJobs({
    workerId: "w",
    limit,
    types: [
      {
        typeName: "task",
        leaseMs: minuteMs,
        limit,
        batch: { minSize: 3, maxWaitMs: 10 * minuteMs, ...batch },
      },
    ],
  });

const later = { schedule: { afterMs: 5 * minuteMs } };
const longAgo = () => ({ schedule: { at: new Date(Date.now() - 60 * minuteMs) } });

export const acquireJobsBatchesSuite: StateSuite = defineStateSuite(
  "acquireJobs, batches",
  (rule) => {
    rule(
      "`batch`: no job of the type is acquired before `minSize` of them are due, or one has been due for `maxWaitMs`.",
      async ({ steps, stateAdapter }) => {
        await steps.create({ priority: 1 }, {}, later);
        expect((await look(stateAdapter)).jobs).toEqual([]);
        await steps.create({ priority: -1 });
        const { jobs } = await look(stateAdapter);
        expect(jobs.map(({ job }) => job.priority)).toEqual([1, 0, -1]);
        await steps.create({});
        expect((await look(stateAdapter)).jobs).toEqual([]);
        await steps.create({ ...longAgo(), priority: -1 });
        expect((await look(stateAdapter)).jobs).toHaveLength(2);
      },
    );

    rule("a batch is as large as the limit allows", async ({ steps, stateAdapter }) => {
      await steps.create(...Array.from({ length: 8 }, () => ({})));
      expect((await look(stateAdapter, {}, 5)).jobs).toHaveLength(5);
      // Three are left: enough again.
      expect((await look(stateAdapter, {}, 5)).jobs).toHaveLength(3);
      expect((await look(stateAdapter, {}, 5)).jobs).toEqual([]);
    });

    rule(
      "The time for which a job was blocked does not count.",
      async ({ steps, stateAdapter }) => {
        const blocker = await steps.createOne({ typeName: "other" });
        await steps.createBlocked([blocker], longAgo());
        await steps.completeWithoutWorker(blocker);
        const { jobs, nextDueInMs } = await look(stateAdapter);
        expect(jobs).toEqual([]);
        expect(nextDueInMs).toBeGreaterThan(9 * minuteMs);
        await steps.create(longAgo());
        expect((await look(stateAdapter)).jobs).toHaveLength(2);
      },
    );

    rule("a job of an expired lease counts", async ({ steps, stateAdapter }) => {
      await steps.create({});
      const lost = await steps.acquireOne({ leaseMs: 1 });
      await steps.create({}, {});
      await steps.untilExpired(lost);
      const { jobs } = await look(stateAdapter);
      expect(jobs.map(({ reclaimedFrom }) => reclaimedFrom)).toEqual(["worker-1", null, null]);
      await steps.complete({ ...lost, leaseVersion: 2 }, undefined, "w");
    });

    rule("leases of finished jobs do not count", async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, {});
      const held = await steps.acquire({ limit: 3, leaseMs: 1 });
      for (const { job } of held) await steps.complete(job);
      await steps.create({});
      expect((await look(stateAdapter)).jobs).toEqual([]);
    });

    rule(
      "`nextDueInMs` of a type with `batch` is the moment from which its pending jobs can be acquired.",
      async ({ steps, stateAdapter }) => {
        expect((await look(stateAdapter)).nextDueInMs).toBeNull();
        await steps.create(later);
        // By age: the job is due in 5 minutes, and alone for 10 more.
        const scheduled = await look(stateAdapter);
        expect(scheduled.nextDueInMs).toBeGreaterThan(14 * minuteMs);
        expect(scheduled.nextDueInMs).toBeLessThanOrEqual(15 * minuteMs);
        await steps.create({}, {});
        // By size: with that job they are three.
        const bySize = await look(stateAdapter);
        expect(bySize.nextDueInMs).toBeGreaterThan(4 * minuteMs);
        expect(bySize.nextDueInMs).toBeLessThanOrEqual(5 * minuteMs);
        await steps.create({});
        const full = await look(stateAdapter);
        expect(full.jobs).toHaveLength(3);
        expect(full.nextDueInMs).toBeGreaterThan(14 * minuteMs);
      },
    );

    rule("a paused type has no batch", async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, {});
      const targets = [{ typeName: "task" }];
      await stateAdapter.pause({ targets, forMs: minuteMs, note: null });
      const { jobs, nextDueInMs } = await look(stateAdapter);
      expect(jobs).toEqual([]);
      expect(nextDueInMs).toBeGreaterThan(0);
      await stateAdapter.resume({ targets });
      expect((await look(stateAdapter)).jobs).toHaveLength(3);
    });

    rule("a limit makes a batch smaller than `minSize`", async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, {}, {});
      const bounds = { concurrency: 2, rate: null, declaration: null };
      await stateAdapter.setLimits({ limits: [{ name: "task", ...bounds }] });
      const first = await look(stateAdapter, { minSize: 2 });
      expect(first.jobs).toHaveLength(2);
      expect((await look(stateAdapter, { minSize: 2 })).jobs).toEqual([]);
      for (const { job } of first.jobs) await steps.complete(job, undefined, "w");
      expect((await look(stateAdapter, { minSize: 2 })).jobs).toHaveLength(2);
    });

    rule("other types are acquired beside it", async ({ steps, stateAdapter }) => {
      await steps.create({}, { typeName: "other" });
      const batch = { minSize: 2, maxWaitMs: minuteMs };
      const shared = { leaseMs: minuteMs, limit: 5 };
      const { jobs } = await stateAdapter.acquireJobs({
        workerId: "w",
        limit: 5,
        types: [
          { typeName: "task", ...shared, batch },
          { typeName: "other", ...shared },
        ],
      });
      expect(jobs.map(({ job }) => job.typeName)).toEqual(["other"]);
    });

    rule("a job that another transaction has locked is passed by", async (test) => {
      const { steps, stateAdapter, capabilities, openTransaction } = test;
      const [first] = await steps.create({ priority: 1 }, {}, {}, {});
      const transaction = await openTransaction();
      await stateAdapter.lockSequences({ context: transaction.context, ids: [first?.id ?? ""] });
      const acquiring = look(stateAdapter);
      await settlesWithin(acquiring, test.patienceMs(capabilities.concurrentWriters));
      await transaction.rollback();
      expect((await within(acquiring, "the acquisition")).jobs.length).toBeGreaterThan(0);
    });

    rule(
      "Callers at the same time do not divide the jobs of a batch: each gets at least `minSize`, or none.",
      async ({ steps, stateAdapter, secondStateAdapter }) => {
        const minSize = 12;
        for (let round = 0; round < 6; round++) {
          await steps.create(...Array.from({ length: minSize + round }, () => ({})));
          let taken: AcquireJobsResult["jobs"] = [];
          const callAll = async (): Promise<void> => {
            while (taken.length === 0) {
              const calls = [stateAdapter, secondStateAdapter, stateAdapter, secondStateAdapter];
              const found = await Promise.all(
                calls.map((adapter) => look(adapter, { minSize }, 2 * minSize)),
              );
              const sizes = found.map(({ jobs }) => jobs.length).filter((size) => size > 0);
              taken = found.flatMap(({ jobs }) => jobs);
              expect(sizes).toEqual(taken.length === 0 ? [] : [minSize + round]);
            }
          };
          await within(callAll(), "the batch");
          for (const { job } of taken) await steps.complete(job, undefined, "w");
        }
      },
    );
  },
);
