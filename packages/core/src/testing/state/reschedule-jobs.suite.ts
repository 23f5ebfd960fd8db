import { expect } from "vitest";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

export const rescheduleJobsSuite: StateSuite = defineStateSuite("rescheduleJobs", (rule) => {
  rule("Gives running jobs back as `pending`, with no lease.", async ({ steps }) => {
    const job = await steps.createRunning();
    const result = await steps.reschedule(job, { afterMs: minuteMs });
    const read = await steps.get(job);
    expect(read).toMatchObject({ status: "pending", leasedBy: null, leasedUntil: null });
    expect(read).toMatchObject({ attempt: 1, leaseVersion: 1, finishedAt: null });
    expect(result).toEqual({ kind: "rescheduled", scheduledAt: read.scheduledAt });
    expect(await steps.acquire()).toEqual([]);
  });

  rule("`afterMs` counts from the store's clock", async ({ steps }) => {
    const before = await steps.createOne({ typeName: "clock" });
    const job = await steps.createRunning();
    await steps.reschedule(job, { afterMs: thirtyDaysMs });
    const after = await steps.createOne({ typeName: "clock" });
    const due = (await steps.get(job)).scheduledAt.getTime() - thirtyDaysMs;
    expect(due).toBeGreaterThanOrEqual(before.createdAt.getTime());
    expect(due).toBeLessThanOrEqual(after.createdAt.getTime());
  });

  rule("`at` is kept as it is", async ({ steps }) => {
    const at = new Date(Date.UTC(2099, 5, 1, 1, 2, 3, 4));
    const job = await steps.createRunning();
    expect(await steps.reschedule(job, { at })).toEqual({ kind: "rescheduled", scheduledAt: at });
    expect((await steps.get(job)).scheduledAt).toEqual(at);
  });

  rule(
    "`schedule: null` keeps the due time, and with it the place in the order.",
    async ({ steps }) => {
      const created = await steps.create({}, {}, {});
      const first = await steps.acquireOne();
      expect(await steps.reschedule(first, null)).toEqual({
        kind: "rescheduled",
        scheduledAt: first.scheduledAt,
      });
      const again = await steps.acquire({ limit: 3 });
      expect(again.map(({ job }) => job.id)).toEqual(created.map(({ id }) => id));
    },
  );

  rule(
    "`countsAttempt: false` takes this run's one off `attempt` again.",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createRunning();
      const giveBack = (leaseVersion: number, countsAttempt: boolean) =>
        stateAdapter.rescheduleJobs({
          jobs: [{ jobId: job.id, leaseVersion, schedule: null, countsAttempt, error: null }],
        });
      await giveBack(1, false);
      expect(await steps.get(job)).toMatchObject({ attempt: 0, leaseVersion: 1 });
      await steps.acquireOne();
      await giveBack(2, true);
      expect(await steps.get(job)).toMatchObject({ attempt: 1, leaseVersion: 2 });
      await steps.acquireOne();
      await giveBack(3, false);
      expect(await steps.get(job)).toMatchObject({ attempt: 1, leaseVersion: 3 });
    },
  );

  rule("`error: null` keeps the last error.", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    const giveBack = (leaseVersion: number, error: string | null) =>
      stateAdapter.rescheduleJobs({
        jobs: [{ jobId: job.id, leaseVersion, schedule: null, countsAttempt: true, error }],
      });
    await giveBack(1, "first\nline 'two' \\ ß 🐌");
    expect((await steps.get(job)).lastAttemptError).toBe("first\nline 'two' \\ ß 🐌");
    await steps.acquireOne();
    await giveBack(2, null);
    expect((await steps.get(job)).lastAttemptError).toBe("first\nline 'two' \\ ß 🐌");
    await steps.acquireOne();
    await giveBack(3, "second");
    expect((await steps.get(job)).lastAttemptError).toBe("second");
  });

  rule("the time of the last attempt stays", async ({ steps }) => {
    const job = await steps.createRunning();
    await steps.reschedule(job);
    expect((await steps.get(job)).lastAttemptAt).toEqual(job.lastAttemptAt);
  });

  rule("an expired lease that no worker has taken over still counts", async ({ steps }) => {
    const job = await steps.createRunning({}, { leaseMs: 1 });
    await steps.untilExpired(job);
    expect((await steps.reschedule(job)).kind).toBe("rescheduled");
  });

  rule(
    "A write re-checks status and lease in the statement that writes. An element that no longer holds changes nothing and is returned as such",
    async ({ steps, stateAdapter }) => {
      const old = await steps.createRunning({ typeName: "old" }, { leaseMs: 1 });
      await steps.untilExpired(old);
      const current = await steps.acquireOne({ typeName: "old" });
      const completed = await steps.createRunning({ typeName: "completed" });
      await steps.complete(completed);
      const failed = await steps.createRunning({ typeName: "failed" });
      await steps.fail(failed);
      const held = await steps.createRunning({ typeName: "held" });
      const absent = { id: await steps.absentId(), leaseVersion: 1 };
      const results = await stateAdapter.rescheduleJobs({
        jobs: [old, completed, held, failed, absent].map(({ id, leaseVersion }) => ({
          jobId: id,
          leaseVersion,
          schedule: null,
          countsAttempt: true,
          error: "x",
        })),
      });
      expect(
        results.map((result) => (result.kind === "lost" ? result.reason : result.kind)),
      ).toEqual([
        "taken_by_another_worker",
        "already_completed",
        "rescheduled",
        "already_completed",
        "not_found",
      ]);
      expect(await steps.get(current)).toEqual(current);
    },
  );

  rule("runs in the transaction of its context", async ({ steps, openTransaction }) => {
    const job = await steps.createRunning();
    const transaction = await openTransaction();
    await transaction.steps.reschedule(job);
    expect((await transaction.steps.get(job)).status).toBe("pending");
    await transaction.rollback();
    expect(await steps.get(job)).toEqual(job);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.rescheduleJobs({ jobs: [] })).toEqual([]);
  });

  rule("a handed back job that is due is taken at once", async ({ steps }) => {
    const job = await steps.createRunning();
    await steps.reschedule(job, { afterMs: 0 });
    expect(only(await steps.acquire({ workerId: "worker-2" })).job.id).toBe(job.id);
  });
});
