import { expect } from "vitest";
import type { AcquiredJob } from "../../adapters/state-adapter-params.ts";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";
import { eventually, settlesWithin, within } from "../waiting.ts";

const ids = (acquired: readonly AcquiredJob[]): string[] => acquired.map(({ job }) => job.id);

const wanted = (typeName: string, limit: number, leaseMs: number = minuteMs) => ({
  typeName,
  limit,
  leaseMs,
});

const taken: StateSuite = defineStateSuite("acquireJobs", (rule) => {
  rule(
    "Takes due jobs, marks them running, and commits at once",
    async ({ steps, secondSteps }) => {
      const job = await steps.createOne();
      const acquired = await steps.acquireOne({ workerId: "w", leaseMs: minuteMs });
      expect(acquired).toMatchObject({ id: job.id, status: "running", leasedBy: "w", attempt: 1 });
      expect(await secondSteps.get(job)).toEqual(acquired);
    },
  );

  rule("nothing due is answered with nothing", async ({ stateAdapter }) => {
    const result = await stateAdapter.acquireJobs({
      workerId: "w",
      limit: 5,
      types: [wanted("task", 5)],
    });
    expect(result).toMatchObject({ jobs: [], nextDueInMs: null });
  });

  rule("without types, or with no room, nothing is taken", async ({ steps, stateAdapter }) => {
    await steps.createOne();
    const none = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types: [] });
    expect(none.jobs).toEqual([]);
    for (const [limit, ofType] of [
      [0, 5],
      [5, 0],
    ] as const) {
      const types = [wanted("task", ofType)];
      const { jobs } = await stateAdapter.acquireJobs({ workerId: "w", limit, types });
      expect(jobs).toEqual([]);
    }
    expect(await steps.acquire()).toHaveLength(1);
  });

  rule("takes only the types it is given", async ({ steps }) => {
    await steps.create({ typeName: "a" }, { typeName: "b" }, { typeName: "A" });
    const acquired = await steps.acquire({ typeName: "a", limit: 10 });
    expect(acquired.map(({ job }) => job.typeName)).toEqual(["a"]);
  });

  rule(
    "At most `limit` in all and `types[i].limit` of each type.",
    async ({ steps, stateAdapter }) => {
      await steps.create(...Array.from({ length: 5 }, () => ({ typeName: "a" })));
      await steps.create(...Array.from({ length: 5 }, () => ({ typeName: "b" })));
      const acquire = async (limit: number, a: number, b: number) => {
        const types = [wanted("a", a), wanted("b", b)];
        const { jobs } = await stateAdapter.acquireJobs({ workerId: "w", limit, types });
        return jobs.map(({ job }) => job.typeName);
      };
      expect((await acquire(10, 1, 2)).sort()).toEqual(["a", "b", "b"]);
      expect(await acquire(2, 10, 10)).toHaveLength(2);
      expect(await acquire(100, 100, 100)).toHaveLength(5);
    },
  );

  rule("Two callers never receive the same job.", async ({ steps }) => {
    const jobs = await steps.create({}, {}, {});
    const first = await steps.acquire({ limit: 2 });
    const second = await steps.acquire({ limit: 2, workerId: "worker-2" });
    expect([...ids(first), ...ids(second)].sort()).toEqual(jobs.map(({ id }) => id).sort());
  });

  rule("Adds one to `attempt` and to `leaseVersion`", async ({ steps }) => {
    await steps.createOne();
    const first = await steps.acquireOne();
    await steps.reschedule(first);
    const second = await steps.acquireOne();
    expect([first.attempt, second.attempt]).toEqual([1, 2]);
    expect([first.leaseVersion, second.leaseVersion]).toEqual([1, 2]);
    expect(second.lastAttemptAt?.getTime()).toBeGreaterThanOrEqual(
      first.lastAttemptAt?.getTime() ?? NaN,
    );
  });

  rule("sets the lease to now plus the type's `leaseMs`.", async ({ steps, stateAdapter }) => {
    await steps.create({ typeName: "short" }, { typeName: "long" });
    const { jobs } = await stateAdapter.acquireJobs({
      workerId: "w",
      limit: 10,
      types: [wanted("short", 5, 1_000), wanted("long", 5, thirtyDaysMs)],
    });
    const leases = jobs.map(({ job }) => [
      job.typeName,
      (job.leasedUntil?.getTime() ?? NaN) - (job.lastAttemptAt?.getTime() ?? NaN),
    ]);
    expect(Object.fromEntries(leases)).toEqual({ short: 1_000, long: thirtyDaysMs });
  });

  rule(
    "Skips jobs locked by another transaction; never waits for them.",
    async ({
      steps,
      capabilities,
      patienceMs,
      secondStateAdapter,
      secondSteps,
      openTransaction,
    }) => {
      const [locked, free] = await steps.create({ priority: 1 }, {});
      const transaction = await openTransaction();
      await transaction.steps.completeWithoutWorker(locked ?? { id: "" });
      const types = [wanted("task", 2)];
      const acquiring = secondStateAdapter.acquireJobs({ workerId: "w", limit: 2, types });
      // A store with one writer has to wait for it; any other must not.
      const waited = !(await settlesWithin(acquiring, patienceMs(capabilities.concurrentWriters)));
      if (capabilities.concurrentWriters) expect(waited).toBe(false);
      await transaction.commit();
      expect(ids((await within(acquiring, "acquireJobs")).jobs)).toEqual([free?.id]);
      expect(await secondSteps.acquire()).toEqual([]);
    },
  );
});

const ordered: StateSuite = defineStateSuite("acquireJobs, order", (rule) => {
  rule(
    "Within a type: higher `priority` first, then older `scheduledAt`, then smaller `ordinal`.",
    async ({ steps }) => {
      const at = (seconds: number) => ({ at: new Date(seconds * 1_000) });
      const created = await steps.create(
        { input: "6", priority: -5, schedule: at(1) },
        { input: "4", schedule: at(30) },
        { input: "1", priority: 10, schedule: at(20) },
        { input: "5", schedule: at(30) },
        { input: "3", schedule: at(20) },
        { input: "2", priority: 9, schedule: at(10) },
      );
      const acquired = await steps.acquire({ limit: created.length });
      expect(acquired.map(({ job }) => job.input)).toEqual(["1", "2", "3", "4", "5", "6"]);
    },
  );

  rule("priorities of 32 bits are taken in order to their ends", async ({ steps }) => {
    const priorities = [-(2 ** 31), 2 ** 31 - 1, 0, 2 - 2 ** 31, 2 ** 31 - 2];
    await steps.create(...priorities.map((priority) => ({ priority })));
    const taken = await steps.acquire({ limit: 10 });
    expect(taken.map(({ job }) => job.priority)).toEqual(priorities.toSorted((a, b) => b - a));
  });

  rule("the order holds from call to call", async ({ steps }) => {
    const created = await steps.create(...Array.from({ length: 9 }, () => ({})));
    const acquired: string[] = [];
    for (let round = 0; round < 3; round += 1)
      acquired.push(...ids(await steps.acquire({ limit: 3 })));
    expect(acquired).toEqual(created.map(({ id }) => id));
  });

  rule(
    "jobs of one transaction and one millisecond go in the order of creation",
    async ({ steps, openTransaction }) => {
      const transaction = await openTransaction();
      const created = [];
      for (let index = 0; index < 20; index += 1) created.push(await transaction.steps.createOne());
      await transaction.commit();
      expect(ids(await steps.acquire({ limit: 20 }))).toEqual(created.map(({ id }) => id));
    },
  );

  rule(
    "Between types no order is promised, but no type with due jobs goes without for ever.",
    async ({ steps, stateAdapter }) => {
      await steps.create(...Array.from({ length: 40 }, () => ({ typeName: "flood", priority: 9 })));
      await steps.createOne({ typeName: "drop" });
      const types = [wanted("flood", 1), wanted("drop", 1)];
      let rounds = 0;
      await eventually(async () => {
        // The load never ends: each round puts back the jobs that it took.
        await steps.createOne({ typeName: "flood", priority: 9 });
        const { jobs } = await stateAdapter.acquireJobs({ workerId: "w", limit: 1, types });
        rounds += 1;
        if (rounds > 200) throw new Error("the type `drop` was left out 200 times");
        return jobs.some(({ job }) => job.typeName === "drop") ? true : undefined;
      }, "the job of the other type");
    },
  );
});

const due: StateSuite = defineStateSuite("acquireJobs, due", (rule) => {
  rule("Due: `pending` with `scheduledAt` not after now", async ({ steps }) => {
    const [, soon] = await steps.create(
      { schedule: { afterMs: minuteMs } },
      { schedule: { afterMs: 30 } },
    );
    const acquired = await eventually(async () => {
      const found = await steps.acquire({ limit: 5 });
      return found.length > 0 ? found : undefined;
    }, "the scheduled job");
    expect(ids(acquired)).toEqual([soon?.id]);
    // By the store's clock, so a test that is held up cannot fail.
    const acquiredAt = acquired[0]?.job.lastAttemptAt?.getTime();
    expect(acquiredAt).toBeGreaterThanOrEqual(soon?.scheduledAt.getTime() ?? Number.NaN);
  });

  rule("blocked, running and finished jobs are not due", async ({ steps }) => {
    const blocker = await steps.createOne({ typeName: "blocker" });
    await steps.createBlocked([blocker]);
    await steps.createCompleted();
    await steps.createFailed();
    await steps.createRunning();
    expect(await steps.acquire({ limit: 10 })).toEqual([]);
  });

  rule(
    "`running` with an expired lease (`reclaimedFrom` then names its last worker, and its error says that the lease expired).",
    async ({ steps }) => {
      const lost = await steps.createRunning({}, { workerId: "dead", leaseMs: 1 });
      await steps.untilExpired(lost);
      const taken = only(await steps.acquire({ workerId: "alive" }));
      expect(taken.reclaimedFrom).toBe("dead");
      expect(taken.job).toMatchObject({
        id: lost.id,
        status: "running",
        leasedBy: "alive",
        attempt: 2,
        leaseVersion: 2,
      });
      expect(taken.job.lastAttemptError).toBe(leaseExpiredError("dead"));
    },
  );

  rule("`reclaimedFrom` is null for a job that was pending", async ({ steps }) => {
    await steps.createOne();
    expect(only(await steps.acquire()).reclaimedFrom).toBeNull();
  });

  rule("a lease that has not expired protects its job", async ({ steps }) => {
    await steps.createRunning({}, { leaseMs: minuteMs });
    expect(await steps.acquire({ workerId: "worker-2" })).toEqual([]);
  });

  rule("a saturated type does not hide an expired job", async ({ steps }) => {
    const lost = await steps.createRunning({}, { leaseMs: 1 });
    await steps.untilExpired(lost);
    await steps.create(...Array.from({ length: 150 }, () => ({})));
    const acquired = await steps.acquire({ limit: 20 });
    expect(ids(acquired)).toContain(lost.id);
  });
});

const blockers: StateSuite = defineStateSuite("acquireJobs, blockers", (rule) => {
  rule(
    "`blockers`: the sequences the job waited for, as they are, in the order they were given.",
    async ({ steps, runInTransaction, stateAdapter }) => {
      const first = await steps.createRunning({ typeName: "b1" });
      const second = await steps.createRunning({ typeName: "b2" });
      const job = await steps.createBlocked([second, first, second]);
      await steps.complete(first, '"one"');
      const next = await steps.continueWith(second, { typeName: "b3" });
      await steps.complete(await steps.acquireOne({ typeName: "b3" }), '"two"');
      const acquired = only(await steps.acquire());
      expect(acquired.job.id).toBe(job.id);
      expect(acquired.blockers.map(({ first: { id } }) => id)).toEqual([
        second.id,
        first.id,
        second.id,
      ]);
      expect(acquired.blockers.map(({ current }) => current.output)).toEqual([
        '"two"',
        '"one"',
        '"two"',
      ]);
      expect(acquired.blockers[0]?.current.id).toBe(next.id);
      const read = await runInTransaction((context) =>
        stateAdapter.getBlockers({ context, ids: [job.id] }),
      );
      expect(only(read)).toEqual(acquired.blockers);
    },
  );

  rule("jobs without blockers have none", async ({ steps }) => {
    await steps.createOne();
    expect(only(await steps.acquire()).blockers).toEqual([]);
  });
});

const nextDue: StateSuite = defineStateSuite("acquireJobs, nextDueInMs", (rule) => {
  rule(
    "`storeTime`: the store's clock during the statement, where it costs nothing.",
    async (test) => {
      const { steps, stateAdapter } = test;
      const due = await steps.create({ typeName: "due" });
      const later = await steps.create({ typeName: "later", schedule: { afterMs: minuteMs } });
      for (const { typeName, createdAt } of [...due, ...later]) {
        const types = [{ typeName, leaseMs: minuteMs, limit: 5 }];
        const { storeTime } = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
        if (storeTime === undefined) continue;
        expect(storeTime.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
        expect(storeTime.getTime()).toBeLessThan(createdAt.getTime() + minuteMs);
      }
    },
  );

  rule(
    "`nextDueInMs`: milliseconds until the next pending job of these types becomes due",
    async ({ steps, stateAdapter }) => {
      await steps.create(
        { schedule: { afterMs: 5 * minuteMs } },
        { schedule: { afterMs: 2 * minuteMs } },
        { typeName: "other", schedule: { afterMs: 1_000 } },
      );
      const types = [wanted("task", 5), wanted("absent", 5)];
      const { nextDueInMs } = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(nextDueInMs).toBeLessThanOrEqual(2 * minuteMs);
      expect(nextDueInMs).toBeGreaterThan(minuteMs);
    },
  );

  rule(
    "0 if some are due already (exact when fewer than `limit` were returned)",
    async ({ steps, stateAdapter }) => {
      await steps.create({}, {});
      const types = [wanted("task", 1)];
      const result = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(result.jobs).toHaveLength(1);
      expect(result.nextDueInMs).toBe(0);
    },
  );

  rule("exact for any jobs behind the first that is acquired", async ({ steps, stateAdapter }) => {
    const soon = { afterMs: 2 * minuteMs };
    const later = { afterMs: 5 * minuteMs };
    const cases = [
      { behind: [{ priority: 5, schedule: soon }, { priority: 1 }], takenCount: 2 },
      { behind: [{ priority: 5, schedule: later }, { schedule: soon }], takenCount: 1 },
      { behind: [{ priority: 1, schedule: soon }, { schedule: later }], takenCount: 1 },
      { behind: [{ priority: 1 }, { priority: 1, schedule: soon }], takenCount: 2 },
    ];
    for (const [index, { behind, takenCount }] of cases.entries()) {
      const typeName = `case ${index}`;
      await steps.create({ typeName, priority: 5 }, ...behind.map((job) => ({ ...job, typeName })));
      const types = [wanted(typeName, 5)];
      const result = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(result.jobs).toHaveLength(takenCount);
      expect(result.nextDueInMs).toBeLessThanOrEqual(2 * minuteMs);
      expect(result.nextDueInMs).toBeGreaterThan(minuteMs);
    }
  });

  rule("0 if a due one was left for one that was lost", async ({ steps, stateAdapter }) => {
    const lost = await steps.createRunning({}, { leaseMs: 1 });
    await steps.untilExpired(lost);
    await steps.createOne();
    const types = [wanted("task", 1)];
    const result = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
    expect(ids(result.jobs)).toEqual([lost.id]);
    expect(result.nextDueInMs).toBe(0);
  });

  rule("null if none is scheduled.", async ({ steps, stateAdapter }) => {
    await steps.create({ typeName: "other", schedule: { afterMs: minuteMs } }, {});
    await steps.createOne({ awaitsBlockers: true, schedule: { afterMs: minuteMs } });
    const types = [wanted("task", 5)];
    const result = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
    expect(result.jobs).toHaveLength(1);
    expect(result.nextDueInMs).toBeNull();
  });

  rule("Never above 2 147 483 647.", async ({ steps, stateAdapter }) => {
    await steps.createOne({ schedule: { at: new Date(Date.UTC(9999, 11, 31)) } });
    await steps.createOne({ typeName: "month", schedule: { afterMs: thirtyDaysMs } });
    for (const typeName of ["task", "month"]) {
      const types = [wanted(typeName, 5)];
      const { nextDueInMs } = await stateAdapter.acquireJobs({ workerId: "w", limit: 5, types });
      expect(nextDueInMs).toBe(2_147_483_647);
    }
  });
});

export const acquireJobsSuites: readonly StateSuite[] = [taken, ordered, due, blockers, nextDue];
