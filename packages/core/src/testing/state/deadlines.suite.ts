// Blocked jobs whose wait has an end: `addBlockers` sets it, and `acquireJobs` sees it pass. A wait of 0 has ended at once.
import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";
import { within } from "../waiting.ts";

const hourMs = 60 * minuteMs;

export const limitedWaitSuite: StateSuite = defineStateSuite(
  "addBlockers, waitAtMostMs",
  (rule) => {
    rule(
      "`waitAtMostMs`: the wait of a job that stays blocked ends at its creation plus this time (`blockedUntil`).",
      async ({ steps }) => {
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const limited = await steps.createBlocked([blocker], {}, 1.5 * minuteMs);
        expect(limited.status).toBe("blocked");
        const waitMs = Number(limited.blockedUntil) - limited.createdAt.getTime();
        expect(Math.abs(waitMs - 1.5 * minuteMs)).toBeLessThanOrEqual(1);
        expect((await steps.get(limited)).blockedUntil).toEqual(limited.blockedUntil);
        expect((await steps.createBlocked([blocker])).blockedUntil).toBeNull();
      },
    );

    rule("a job that is released at once waits for nothing", async ({ steps }) => {
      const blocker = await steps.createCompleted({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker], {}, hourMs);
      expect(job).toMatchObject({ status: "pending", blockedUntil: null });
    });

    rule("a job that is released before the end is acquired once", async ({ steps }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createBlocked([blocker], {}, hourMs);
      await steps.complete(blocker, '"came"');
      expect(await steps.get({ id })).toMatchObject({ status: "pending", blockedUntil: null });
      const { blockers } = only(await steps.acquire());
      expect(blockers.map(({ current }) => current.output)).toEqual(['"came"']);
      expect(await steps.acquire()).toEqual([]);
    });
  },
);

export const deadlinesSuite: StateSuite = defineStateSuite("acquireJobs, ends of waits", (rule) => {
  rule(
    "A blocked job whose wait has ended (`blockedUntil` not after now) becomes `pending` first, and keeps its due time.",
    async ({ steps }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const late = await steps.createBlocked([blocker], {}, 0);
      const patient = await steps.createBlocked([blocker], {}, hourMs);
      const endless = await steps.createBlocked([blocker]);
      const { job, blockers } = only(await steps.acquire({ limit: 10 }));
      expect(job).toMatchObject({ id: late.id, status: "running", attempt: 1, blockedUntil: null });
      expect(job.scheduledAt).toEqual(late.scheduledAt);
      expect(blockers.map(({ current }) => current.status)).toEqual(["running"]);
      for (const other of [patient, endless]) {
        expect((await steps.get(other)).status).toBe("blocked");
      }
    },
  );

  rule("a job that is due later stays pending until then", async ({ steps }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const job = await steps.createBlocked([blocker], { schedule: { afterMs: hourMs } }, 0);
    expect(await steps.acquire()).toEqual([]);
    expect((await steps.get(job)).status).toBe("pending");
  });

  rule("`nextDueInMs` has the next end of a wait", async ({ steps, stateAdapter }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    for (const minutes of [3, 2]) await steps.createBlocked([blocker], {}, minutes * minuteMs);
    const types = [{ typeName: "task", limit: 5, leaseMs: minuteMs }];
    const { jobs, nextDueInMs } = await stateAdapter.acquireJobs({
      workerId: "w",
      limit: 5,
      types,
    });
    expect(jobs).toEqual([]);
    expect(nextDueInMs).toBeLessThanOrEqual(2 * minuteMs);
    expect(nextDueInMs).toBeGreaterThan(minuteMs);
  });
});

export const pausedWaitSuite: StateSuite = defineStateSuite("pause, ends of waits", (rule) => {
  rule("other types, and paused ones, wait on", async ({ steps, stateAdapter }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const other = await steps.createBlocked([blocker], { typeName: "other" }, 0);
    const paused = await steps.createBlocked([blocker], {}, 0);
    const targets = [{ typeName: "task" }];
    await stateAdapter.pause({ targets, forMs: null, note: null });
    expect(await steps.acquire()).toEqual([]);
    for (const job of [other, paused]) expect((await steps.get(job)).status).toBe("blocked");
    await stateAdapter.resume({ targets });
    expect(only(await steps.acquire()).job.id).toBe(paused.id);
  });
});

export const retriedWaitSuite: StateSuite = defineStateSuite(
  "retryFailedJobs, ends of waits",
  (rule) => {
    rule("a retry after the end waits no more", async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createBlocked([blocker], {}, 0);
      await steps.fail(await steps.acquireOne());
      await stateAdapter.retryFailedJobs({ ids: [id] });
      const again = only(await steps.acquire());
      expect(again.job.id).toBe(id);
      await steps.complete(blocker, '"late"');
      await steps.reschedule(again.job, null);
      const third = only(await steps.acquire());
      expect(third.blockers.map(({ current }) => current.output)).toEqual(['"late"']);
    });
  },
);

export const cancelledWaitSuite: StateSuite = defineStateSuite(
  "cancelSequences, ends of waits",
  (rule) => {
    rule(
      "a job that is cancelled or completed while it waits is not acquired",
      async ({ steps }) => {
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const cancelled = await steps.createBlocked([blocker], {}, 0);
        const completed = await steps.createBlocked([blocker], {}, 0);
        await steps.cancel([cancelled]);
        await steps.completeWithoutWorker(completed);
        expect(await steps.acquire({ limit: 5 })).toEqual([]);
      },
    );
  },
);

/** The last blocker ends in an open transaction while an acquisition finds that the wait has ended. */
const endBoth = async (test: StateCaseContext, how: "commit" | "rollback") => {
  const { steps, stateAdapter, secondSteps, holdTransaction } = test;
  const blocker = await steps.createRunning({ typeName: "blocker" });
  const { id } = await steps.createBlocked([blocker], {}, 0);
  const held = holdTransaction(stateAdapter, (inside) => inside.complete(blocker, '"met"'));
  await within(held.operated, "the completion");
  // It passes the job by, or waits for the one writer.
  const beside = secondSteps.acquire({ limit: 5 });
  await test.settlesOrWaits(beside);
  held.end(how);
  await within(held.done, "the end of the transaction");
  const early = await within(beside, "the acquisition beside it");
  return { id, blocker, acquired: [...early, ...(await steps.acquire({ limit: 5 }))] };
};

export const deadlineRaceSuite: StateSuite = defineStateSuite("races, ends of waits", (rule) => {
  rule(
    "A blocker that completes at the same time in another transaction releases it only once: committed",
    async (test) => {
      const { id, acquired } = await endBoth(test, "commit");
      expect(acquired.map(({ job }) => job.id)).toEqual([id]);
      expect(await test.steps.acquire()).toEqual([]);
    },
  );

  rule("a completion beside the end of the wait that is rolled back is none", async (test) => {
    const { id, blocker, acquired } = await endBoth(test, "rollback");
    const { job, blockers } = only(acquired);
    expect(job.id).toBe(id);
    expect(blockers.map(({ current }) => current.status)).toEqual(["running"]);
    await test.steps.complete(blocker);
    expect(await test.steps.acquire()).toEqual([]);
    expect((await test.steps.get({ id })).status).toBe("running");
  });

  rule("many acquisitions at the end of many waits take each job once", async (test) => {
    const { steps, secondSteps } = test;
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const count = 20;
    const waiting: string[] = [];
    for (let index = 0; index < count; index += 1) {
      waiting.push((await steps.createBlocked([blocker], {}, 0)).id);
    }
    const taken: string[] = [];
    const take = async (from: typeof steps): Promise<void> => {
      for (const { job } of await from.acquire({ limit: 4 })) taken.push(job.id);
    };
    const completion = steps.complete(blocker);
    for (let round = 0; round < 30 && taken.length < count; round += 1) {
      await Promise.all([take(steps), take(secondSteps), take(steps), take(secondSteps)]);
    }
    await completion;
    expect([...taken].sort()).toEqual(waiting.sort());
  });
});
