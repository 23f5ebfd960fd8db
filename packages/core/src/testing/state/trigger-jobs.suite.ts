import { expect } from "vitest";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const triggerJobsSuite: StateSuite = defineStateSuite("triggerJobs", (rule) => {
  rule("Makes pending jobs due now.", async ({ steps, stateAdapter }) => {
    const job = await steps.createOne({ schedule: { afterMs: thirtyDaysMs } });
    expect(await steps.acquire()).toEqual([]);
    expect(await stateAdapter.triggerJobs({ ids: [job.id] })).toEqual([
      {
        kind: "triggered",
        job: {
          id: job.id,
          typeName: "task",
          sequenceId: job.id,
          sequenceTypeName: "task",
          rootSequenceId: job.id,
          originId: null,
        },
      },
    ]);
    const read = await steps.get(job);
    expect(read.status).toBe("pending");
    expect(read.scheduledAt.getTime()).toBeGreaterThanOrEqual(job.createdAt.getTime());
    expect(read.scheduledAt.getTime()).toBeLessThan(job.createdAt.getTime() + minuteMs);
    expect((await steps.acquireOne()).id).toBe(job.id);
  });

  rule(
    "Jobs in another status are left alone and answered as such.",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createOne({
        typeName: "blocker",
        schedule: { afterMs: minuteMs },
      });
      const blocked = await steps.createBlocked([blocker], { schedule: { afterMs: minuteMs } });
      const running = await steps.createRunning({ typeName: "running" });
      const completed = await steps.createCompleted({ typeName: "completed" });
      const failed = await steps.createFailed({ typeName: "failed" });
      const others = [blocked, running, completed, failed];
      const ids = [...others.map(({ id }) => id), await steps.absentId(), blocker.id];
      const results = await stateAdapter.triggerJobs({ ids });
      expect(results.map((each) => (each.kind === "refused" ? each.reason : each.kind))).toEqual([
        "not_pending",
        "not_pending",
        "not_pending",
        "not_pending",
        "not_found",
        "triggered",
      ]);
      for (const job of others) expect(await steps.get(job)).toEqual(job);
    },
  );

  rule("a job that is due already is triggered all the same", async ({ steps, stateAdapter }) => {
    const job = await steps.createOne();
    expect(await stateAdapter.triggerJobs({ ids: [job.id] })).toMatchObject([
      { kind: "triggered" },
    ]);
    expect((await steps.acquireOne()).id).toBe(job.id);
  });

  rule("is rolled back with its transaction", async ({ steps, stateAdapter, openTransaction }) => {
    const job = await steps.createOne({ schedule: { afterMs: minuteMs } });
    const { context, rollback } = await openTransaction();
    await stateAdapter.triggerJobs({ context, ids: [job.id] });
    await rollback();
    expect(await steps.get(job)).toEqual(job);
    expect(await steps.acquire()).toEqual([]);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.triggerJobs({ ids: [] })).toEqual([]);
  });
});
