import { expect } from "vitest";
import type { UpdateJobsParams } from "../../adapters/state-adapter-updates.ts";
import { aKey, minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

type Change = Partial<UpdateJobsParams<object, string>["jobs"][number]>;

const toUpdate = ({ id }: { readonly id: string }, change: Change = {}) => ({
  ...{ id, input: null, schedule: null, priority: null, dueWithinMs: null },
  ...change,
});

export const updateJobsSuite: StateSuite = defineStateSuite("updateJobs", (rule) => {
  rule("A field that is null is kept.", async ({ steps, stateAdapter }) => {
    const job = await steps.createOne({ input: "[1]", priority: 3 });
    const kept = only(await stateAdapter.updateJobs({ jobs: [toUpdate(job)] }));
    expect(kept).toEqual({ kind: "updated", job });
    const input = "\"why\\n'it' changed\"";
    const jobs = [toUpdate(job, { input, priority: -2 })];
    const changed = only(await stateAdapter.updateJobs({ jobs }));
    expect(changed).toEqual({ kind: "updated", job: { ...job, input, priority: -2 } });
    expect(await steps.get(job)).toEqual({ ...job, input, priority: -2 });
    expect(await steps.acquireOne()).toMatchObject({ id: job.id, input, priority: -2 });
  });

  rule("the order of acquisition follows the new priorities", async ({ steps, stateAdapter }) => {
    const [first, second, third] = await steps.create({}, {}, {});
    if (first === undefined || second === undefined || third === undefined) throw new Error("none");
    const jobs = [toUpdate(third, { priority: 9 }), toUpdate(first, { priority: -1 })];
    await stateAdapter.updateJobs({ jobs });
    const order = [await steps.acquireOne(), await steps.acquireOne(), await steps.acquireOne()];
    expect(order.map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
  });

  rule(
    "`pending` and `blocked` jobs, and `failed` ones before their retry.",
    async ({ steps, stateAdapter }) => {
      const pending = await steps.createOne({ typeName: "pending" });
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const blocked = await steps.createBlocked([blocker], { typeName: "blocked" });
      const failed = await steps.createFailed({ typeName: "failed" });
      const jobs = [pending, blocked, failed].map((job) => toUpdate(job, { input: "2" }));
      const results = await stateAdapter.updateJobs({ jobs });
      expect(results.map((one) => (one.kind === "updated" ? one.job.status : one.reason))).toEqual([
        ...["pending", "blocked", "failed"],
      ]);
      await steps.complete(blocker);
      await stateAdapter.retryFailedJobs({ ids: [failed.id] });
      for (const { typeName } of [pending, blocked, failed]) {
        expect((await steps.acquireOne({ typeName })).input).toBe("2");
      }
    },
  );

  rule(
    "The others stay as they are: `not_updatable`. Ids that do not exist are `not_found`.",
    async ({ steps, stateAdapter }) => {
      const running = await steps.createRunning({ typeName: "running" });
      const completed = await steps.createCompleted({ typeName: "completed" });
      const cancelled = await steps.createCancelled({ typeName: "cancelled" });
      const others = [running, completed, cancelled];
      const absent = { id: await steps.absentId() };
      const jobs = [...others, absent].map((job) => toUpdate(job, { input: "2" }));
      const results = await stateAdapter.updateJobs({ jobs });
      expect(results.map((one) => (one.kind === "refused" ? one.reason : one.kind))).toEqual([
        ...["not_updatable", "not_updatable", "not_updatable", "not_found"],
      ]);
      for (const job of others) expect(await steps.get(job)).toEqual(job);
      expect(await stateAdapter.updateJobs({ jobs: [] })).toEqual([]);
    },
  );

  rule(
    "`schedule` counts from now, and `dueWithinMs` from the creation of the job: the due time is never later.",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createOne({ schedule: { afterMs: thirtyDaysMs } });
      const update = async (change: Change): Promise<number> => {
        const jobs = [toUpdate(job, change)];
        const result = only(await stateAdapter.updateJobs({ jobs }));
        if (result.kind === "refused") throw new Error(result.reason);
        return result.job.scheduledAt.getTime() - job.createdAt.getTime();
      };
      const later = await update({ schedule: { afterMs: minuteMs } });
      expect(later).toBeGreaterThanOrEqual(minuteMs);
      expect(later).toBeLessThan(2 * minuteMs);
      const bounded = { schedule: { afterMs: minuteMs }, dueWithinMs: 1_000 };
      expect(await update(bounded)).toBe(1_000);
      const at = new Date(job.createdAt.getTime() + thirtyDaysMs);
      expect(await update({ schedule: { at } })).toBe(thirtyDaysMs);
      expect(await steps.acquire()).toEqual([]);
      await update({ schedule: { afterMs: 0 } });
      expect((await steps.acquireOne()).id).toBe(job.id);
    },
  );

  rule("A job whose change is not committed is not acquired.", async (test) => {
    const { steps, openTransaction } = test;
    const job = await steps.createOne();
    const transaction = await openTransaction();
    await test.stateAdapter.updateJobs({
      context: transaction.context,
      jobs: [toUpdate(job, { input: "2" })],
    });
    if (test.capabilities.concurrentWriters) expect(await steps.acquire()).toEqual([]);
    await transaction.commit();
    expect(await steps.acquireOne()).toMatchObject({ id: job.id, input: "2" });
    const other = await steps.createOne();
    const undone = await openTransaction();
    await test.stateAdapter.updateJobs({
      context: undone.context,
      jobs: [toUpdate(other, { input: "3", priority: 4 })],
    });
    await undone.rollback();
    expect(await steps.get(other)).toEqual(other);
    expect((await steps.acquireOne()).id).toBe(other.id);
  });

  rule("A job that was acquired before is `not_updatable`.", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    const jobs = [toUpdate(job, { input: "2" })];
    const [result] = await stateAdapter.updateJobs({ jobs });
    expect(result).toEqual({ kind: "refused", reason: "not_updatable" });
    await steps.reschedule(job);
    expect(await stateAdapter.updateJobs({ jobs })).toMatchObject([{ kind: "updated" }]);
  });

  rule(
    'Under `"pending"` a sequence matches whose first job is `pending` or `blocked` and has not begun: `attempt` is 0.',
    async ({ steps }) => {
      const deduplication = aKey("k", { strategy: "pending" });
      const start = () => steps.createOne({ deduplication });
      const first = await start();
      expect((await start()).id).toBe(first.id);
      const running = await steps.acquireOne();
      const second = await start();
      expect(second.id).not.toBe(first.id);
      expect((await start()).id).toBe(second.id);
      await steps.complete(running);
      expect((await start()).id).toBe(second.id);
      await steps.continueWith(await steps.acquireOne());
      const third = await start();
      expect([first.id, second.id]).not.toContain(third.id);
      // Another strategy finds it as well.
      const completed = aKey("k");
      expect((await steps.createOne({ deduplication: completed })).id).toBe(third.id);
    },
  );
});
