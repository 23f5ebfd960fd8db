import { expect } from "vitest";
import { aContinuation, minuteMs } from "../factories.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import { eventually } from "../waiting.ts";
import {
  acquireOf,
  keysOf,
  keysTaken,
  manyUnder,
  setLimit,
  setPerKey,
  slowRate,
  under,
} from "./limit-key-steps.ts";

export const waitingUnderKeysSuite: StateSuite = defineStateSuite(
  "limits by key, waiting",
  (rule) => {
    rule(
      "A key with due jobs and room is found by the next acquisition that begins after the commit that made it so.",
      async ({ steps, stateAdapter }) => {
        await setPerKey(stateAdapter, 1);
        await steps.create(...manyUnder("a", 8));
        const next = async () => {
          const { jobs } = await acquireOf(stateAdapter, ["task"]);
          expect(jobs).toHaveLength(1);
          expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(0);
          return jobs[0]?.job ?? (await steps.createOne());
        };
        await steps.complete(await next());
        await steps.fail(await next());
        await steps.reschedule(await next());
        await steps.cancel([await next()]);
        const running = await next();
        await stateAdapter.runInTransaction((context) =>
          stateAdapter.deleteSequences({ context, rootSequenceIds: [running.rootSequenceId] }),
        );
        await steps.completeWithoutWorker(await next());
        await steps.continueWith(await next(), { typeName: "later" });
        await steps.reschedule(await next(), { afterMs: 1 });
        await setPerKey(stateAdapter, 0);
        expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
        await setPerKey(stateAdapter, 1);
        await next();
      },
    );

    rule("Where several types share a limit, within a second.", async ({ steps, stateAdapter }) => {
      const shared = { limitName: "crm" };
      await setLimit(stateAdapter, { name: "crm", perKey: { concurrency: 1, rate: null } });
      await steps.create(under("a", shared));
      const { jobs } = await acquireOf(stateAdapter, ["task"]);
      await steps.create(under("a", { ...shared, typeName: "other" }));
      expect((await acquireOf(stateAdapter, ["other"])).jobs).toEqual([]);
      for (const { job } of jobs) await steps.complete(job);
      await eventually(async () => {
        const found = (await acquireOf(stateAdapter, ["other"])).jobs;
        return found.length === 1 ? true : undefined;
      }, "the job of the other type");
    });

    rule(
      "A pause of the name of a limit: no job under a key of that limit is acquired, of any type.",
      async ({ steps, stateAdapter, secondStateAdapter }) => {
        const shared = { limitName: "crm" };
        const jobs = [under("a", shared), under("b", { ...shared, typeName: "other" }), under("c")];
        const pauseCrm = (forMs: number | null) =>
          secondStateAdapter.pause({ targets: [{ typeName: "crm" }], forMs, note: null });
        await steps.create(...jobs, {});
        await pauseCrm(null);
        const found = await acquireOf(stateAdapter, ["task", "other"]);
        expect(found.jobs).toHaveLength(2);
        expect(keysTaken(found)).toContain("c");
        for (const { job } of found.jobs) await steps.complete(job);
        expect(await acquireOf(stateAdapter, ["task", "other"])).toMatchObject({
          jobs: [],
          nextDueInMs: null,
        });
        await pauseCrm(30 * minuteMs);
        const { nextDueInMs } = await acquireOf(stateAdapter, ["task", "other"]);
        expect(nextDueInMs).toBeGreaterThan(29 * minuteMs);
        expect(nextDueInMs).toBeLessThanOrEqual(30 * minuteMs);
        // A shorter one takes its place, and ends by itself.
        await pauseCrm(1);
        const next = await eventually(
          async () => (await acquireOf(stateAdapter, ["task"])).jobs[0],
          "the job after the pause",
        );
        expect(next.job.input).toBe('"a"');
        await pauseCrm(null);
        expect((await acquireOf(stateAdapter, ["other"])).jobs).toEqual([]);
        expect(await stateAdapter.resume({ targets: [{ typeName: "crm" }] })).toEqual([true]);
        expect(keysTaken(await acquireOf(stateAdapter, ["other"]))).toEqual(["b"]);
      },
    );

    rule(
      "`deleteLimits`: the bounds, the pauses and the tokens of its keys are gone, too.",
      async ({ steps, stateAdapter, secondStateAdapter }) => {
        const { setLimitKeys, getLimitKeys } = keysOf(stateAdapter);
        const perKey = { concurrency: 1, rate: slowRate(1) };
        await setLimit(stateAdapter, { concurrency: 50, perKey });
        const pause = { forMs: null, note: null, extends: false };
        const bounds = { concurrency: 0, rate: null, weight: 7 };
        await setLimitKeys({
          keys: [
            { limitName: "task", key: "paused", pause },
            { limitName: "task", key: "bounded", bounds },
            { limitName: "other", key: "bounded", bounds },
          ],
        });
        await steps.create(
          ...["paused", "bounded", "full"].flatMap((key) => manyUnder(key, 2)),
          under("bounded", { limitName: "other" }),
        );
        expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual(["full"]);
        expect(await acquireOf(stateAdapter, ["task"])).toMatchObject({ jobs: [] });
        expect(await secondStateAdapter.deleteLimits({ names: ["task"] })).toEqual([true]);
        expect(await getLimitKeys({ limitName: "task", keys: null })).toEqual([]);
        expect(await getLimitKeys({ limitName: "other", keys: null })).toHaveLength(1);
        expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual([
          ...["bounded", "bounded", "full", "paused", "paused"],
        ]);
        await setLimit(stateAdapter, { perKey });
        const [full] = await getLimitKeys({ limitName: "task", keys: ["full"] });
        expect(full).toMatchObject({ running: 2, tokens: 1, bounds: null, pause: null });
      },
    );

    rule("every way to become due is found", async ({ steps, stateAdapter }) => {
      const later = { schedule: { afterMs: 30 * minuteMs } };
      const [scheduled, moved] = await steps.create(under("a", later), under("b", later));
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
      await stateAdapter.triggerJobs({ ids: [scheduled?.id ?? ""] });
      expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual(["a"]);
      const soon = { input: null, schedule: { afterMs: 0 }, priority: null, dueWithinMs: null };
      await stateAdapter.updateJobs({ jobs: [{ id: moved?.id ?? "", ...soon }] });
      expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual(["b"]);
      const blocker = await steps.createRunning({ typeName: "blocker" });
      await steps.createBlocked([blocker], under("c"));
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
      await steps.complete(blocker);
      const [released] = (await acquireOf(stateAdapter, ["task"])).jobs;
      expect(released?.job.input).toBe('"c"');
      if (released !== undefined) await steps.fail(released.job);
      await stateAdapter.retryFailedJobs({ ids: [released?.job.id ?? ""] });
      expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual(["c"]);
      await steps.create(under("d", { schedule: { afterMs: 1 } }));
      await eventually(
        async () => (await acquireOf(stateAdapter, ["task"])).jobs[0],
        "the scheduled job",
      );
    });

    rule(
      "a batch that is not ripe keeps back no job under a key",
      async ({ steps, stateAdapter }) => {
        await steps.create(under("a"), {});
        const batch = { minSize: 5, maxWaitMs: 30 * minuteMs };
        const types = [{ typeName: "task", leaseMs: minuteMs, limit: 10, batch }];
        const { jobs } = await stateAdapter.acquireJobs({ workerId: "worker-1", limit: 10, types });
        expect(keysTaken({ jobs })).toEqual(["a"]);
      },
    );

    rule("a continuation has a key of its own", async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 1);
      const job = await steps.createRunning();
      const { limitKey } = under("a");
      const next = aContinuation(job, { typeName: "task", limitKey });
      await steps.create(...manyUnder("a", 2));
      await steps.continueWith(job, next);
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(1);
    });

    rule(
      "A job under a key whose lease has expired is due again, and its permit is free.",
      async ({ steps, stateAdapter }) => {
        await setPerKey(stateAdapter, 1);
        await steps.create(under("a", { priority: 1 }), under("a"));
        for (const reclaims of [false, true]) {
          const { jobs } = await acquireOf(stateAdapter, ["task"], { leaseMs: 1 });
          const [lost] = jobs;
          expect(jobs).toHaveLength(1);
          if (lost !== undefined) await steps.untilExpired(lost.job);
          if (reclaims) await stateAdapter.reclaimExpiredLeases({ limit: 5 });
        }
        const { jobs } = await acquireOf(stateAdapter, ["task"]);
        expect(jobs).toHaveLength(1);
        expect(jobs[0]?.job).toMatchObject({ priority: 1, attempt: 3 });
      },
    );

    rule(
      "a lost job of a lesser cost starts while another of its key waits for tokens",
      async ({ steps, stateAdapter }) => {
        await setLimit(stateAdapter, { perKey: { concurrency: null, rate: slowRate(2) } });
        await steps.create(under("a", { priority: 1 }), under("a", { cost: 2 }));
        const [lost] = (await acquireOf(stateAdapter, ["task"], { leaseMs: 1 })).jobs;
        if (lost === undefined) throw new Error("nothing was acquired");
        await steps.untilExpired(lost.job);
        const { jobs } = await acquireOf(stateAdapter, ["task"]);
        expect(jobs.map(({ job }) => job.id)).toEqual([lost.job.id]);
      },
    );

    rule(
      "An expired lease of a job under a key is not renewed: it is lost, with the reason `lease_expired`.",
      async ({ steps, stateAdapter }) => {
        await steps.create(under("a"), under("b"));
        const [kept] = (await acquireOf(stateAdapter, ["task"], { limit: 1 })).jobs;
        const [lost] = (await acquireOf(stateAdapter, ["task"], { leaseMs: 1 })).jobs;
        if (lost === undefined || kept === undefined) throw new Error("nothing was acquired");
        expect(await steps.renew(kept.job)).toEqual({ kind: "held" });
        await steps.untilExpired(lost.job);
        expect(await steps.renew(lost.job)).toEqual({ kind: "lost", reason: "lease_expired" });
        expect((await steps.complete(lost.job)).kind).toBe("completed");
      },
    );

    rule(
      "`nextDueInMs` of a key at its limit is the moment of its next token, or the end of its pause. A job of a full key counts as kept back.",
      async ({ steps, stateAdapter }) => {
        await setLimit(stateAdapter, { perKey: { concurrency: null, rate: slowRate(1) } });
        await steps.create(under("a"), under("a"));
        const rated = await acquireOf(stateAdapter, ["task"]);
        expect(rated.jobs).toHaveLength(1);
        expect(rated.nextDueInMs).toBeGreaterThan(9 * minuteMs);
        expect(rated.nextDueInMs).toBeLessThanOrEqual(10 * minuteMs);
        expect((await acquireOf(stateAdapter, ["task"])).nextDueInMs).toBeGreaterThan(9 * minuteMs);
        const pause = { forMs: 5 * minuteMs, note: null, extends: false };
        await keysOf(stateAdapter).setLimitKeys({ keys: [{ limitName: "task", key: "b", pause }] });
        await steps.create(under("b"));
        const paused = await acquireOf(stateAdapter, ["task"]);
        expect(paused.jobs).toEqual([]);
        expect(paused.nextDueInMs).toBeGreaterThan(4 * minuteMs);
        expect(paused.nextDueInMs).toBeLessThanOrEqual(5 * minuteMs);
        await setLimit(stateAdapter, { name: "other", perKey: { concurrency: 1, rate: null } });
        const other = { typeName: "other", limitName: "other" };
        await steps.create(under("c", other), under("c", other));
        expect(await acquireOf(stateAdapter, ["other"])).toMatchObject({ isLimited: true });
      },
    );

    rule(
      "`updateJobs` moves a job that waits to another key, or away from all keys.",
      async ({ steps, stateAdapter }) => {
        await setPerKey(stateAdapter, 1);
        const [, second, third] = await steps.create(...manyUnder("a", 4));
        const kept = { input: null, schedule: null, priority: null, dueWithinMs: null };
        const { limitKey } = under("b");
        await stateAdapter.updateJobs({
          jobs: [
            { id: second?.id ?? "", ...kept, limitKey },
            { id: third?.id ?? "", ...kept, limitKey: null },
          ],
        });
        const ids = (await acquireOf(stateAdapter, ["task"])).jobs.map(({ job }) => job.id);
        expect(ids).toHaveLength(3);
        expect(ids).toContain(second?.id);
        expect(ids).toContain(third?.id);
      },
    );

    rule("a pause of the type, and the summary, know jobs under keys", async (test) => {
      const { steps, stateAdapter } = test;
      await steps.create(...manyUnder("a", 2), under("b"));
      const targets = [{ typeName: "task" }];
      await stateAdapter.pause({ targets, forMs: null, note: null });
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
      const { counts, oldestReady } = await stateAdapter.summarize({ runningLongMs: 1 });
      expect(counts).toEqual([{ typeName: "task", status: "pending", count: 3 }]);
      expect(oldestReady.map(({ typeName }) => typeName)).toEqual(["task"]);
      await stateAdapter.resume({ targets });
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(3);
    });
  },
);
