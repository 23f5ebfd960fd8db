import { expect } from "vitest";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import type { StateSummary } from "../../adapters/state-adapter-queries.ts";

const countsOf = ({ counts }: StateSummary): Record<string, number> =>
  Object.fromEntries(counts.map((each) => [`${each.typeName} ${each.status}`, each.count]));

const positiveCountsOf = (summary: StateSummary): Record<string, number> =>
  Object.fromEntries(Object.entries(countsOf(summary)).filter(([, count]) => count > 0));

export const summarizeSuite: StateSuite = defineStateSuite("summarize", (rule) => {
  rule("an empty store", async ({ stateAdapter }) => {
    const summary = await stateAdapter.summarize({ runningLongMs: minuteMs });
    expect(positiveCountsOf(summary)).toEqual({});
    expect(summary).toMatchObject({
      oldestReady: [],
      blockedByFailedCount: 0,
      expiredLeaseCount: 0,
      runningLongCount: 0,
    });
  });

  rule("finished jobs are not counted, failed ones are.", async ({ steps, stateAdapter }) => {
    await steps.createCompleted({ typeName: "a" });
    await steps.createFailed({ typeName: "a" });
    await steps.createRunning({ typeName: "a" });
    const pending = await steps.createOne({ typeName: "a" });
    await steps.createOne({ typeName: "a", schedule: { afterMs: thirtyDaysMs } });
    await steps.createBlocked([pending], { typeName: "a" });
    await steps.createBlocked([pending], { typeName: "b" });
    const summary = await stateAdapter.summarize({ runningLongMs: minuteMs });
    expect(positiveCountsOf(summary)).toEqual({
      "a failed": 1,
      "a running": 1,
      "a pending": 2,
      "a blocked": 1,
      "b blocked": 1,
    });
    expect(Object.keys(countsOf(summary)).some((key) => key.endsWith("completed"))).toBe(false);
    expect(summary.counts).toHaveLength(new Set(Object.keys(countsOf(summary))).size);
  });

  rule(
    "Per type with due pending jobs: for how long the oldest has been due.",
    async ({ steps, stateAdapter }) => {
      const first = await steps.createOne({ typeName: "a" });
      await steps.untilStoreTime(new Date(first.createdAt.getTime() + 30));
      await steps.create(
        { typeName: "a" },
        { typeName: "b", schedule: { at: new Date(0) } },
        { typeName: "c", schedule: { afterMs: minuteMs } },
      );
      await steps.createOne({ typeName: "b", schedule: { afterMs: minuteMs } });
      const { oldestReady } = await stateAdapter.summarize({ runningLongMs: minuteMs });
      const ages = new Map(oldestReady.map(({ typeName, ageMs }) => [typeName, ageMs]));
      expect([...ages.keys()].sort()).toEqual(["a", "b"]);
      expect(ages.get("a")).toBeGreaterThanOrEqual(30);
      expect(ages.get("a")).toBeLessThan(minuteMs);
      // Due since 1970.
      expect(ages.get("b")).toBeGreaterThan(thirtyDaysMs);
      const due = new Map(oldestReady.map(({ typeName, dueCount }) => [typeName, dueCount]));
      expect(due).toEqual(
        new Map([
          ["a", 2],
          ["b", 1],
        ]),
      );
    },
  );

  rule(
    "The time that a job was blocked does not count: its waiting begins when its last blocker completes.",
    async ({ steps, stateAdapter }) => {
      const since1970 = { typeName: "a", schedule: { at: new Date(0) } };
      const first = await steps.createOne({ typeName: "blocker" });
      const last = await steps.createOne({ typeName: "blocker" });
      await steps.createBlocked([first, last], since1970);
      const ageOf = async (typeName: string): Promise<number | undefined> => {
        const { oldestReady } = await stateAdapter.summarize({ runningLongMs: minuteMs });
        return oldestReady.find((each) => each.typeName === typeName)?.ageMs;
      };
      await steps.completeWithoutWorker(first);
      expect(await ageOf("a")).toBeUndefined();
      await steps.completeWithoutWorker(last);
      expect(await ageOf("a")).toBeGreaterThanOrEqual(0);
      expect(await ageOf("a")).toBeLessThan(minuteMs);
      // A released job that is older by its schedule does not hide another one.
      await steps.createOne(since1970);
      expect(await ageOf("a")).toBeGreaterThan(thirtyDaysMs);
    },
  );

  rule(
    "Blocked jobs at least one of whose blockers has failed.",
    async ({ steps, stateAdapter }) => {
      const f1 = await steps.createFailed({ typeName: "f1" });
      const f2 = await steps.createFailed({ typeName: "f2" });
      const fine = await steps.createOne({ typeName: "fine" });
      await steps.createBlocked([f1, f2]);
      await steps.createBlocked([fine, f1]);
      await steps.createBlocked([fine]);
      const summary = await stateAdapter.summarize({ runningLongMs: minuteMs });
      expect(summary.blockedByFailedCount).toBe(2);
    },
  );

  rule(
    "Not those that were completed while they waited, without a worker.",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const impatient = await steps.createBlocked([blocker]);
      await steps.createBlocked([blocker]);
      await steps.completeWithoutWorker(impatient);
      await steps.fail(blocker);
      const summary = await stateAdapter.summarize({ runningLongMs: minuteMs });
      expect(summary.blockedByFailedCount).toBe(1);
    },
  );

  rule(
    "counts expired leases, and jobs that have been running long",
    async ({ steps, stateAdapter }) => {
      const expired = await steps.createRunning({ typeName: "a" }, { leaseMs: 1 });
      const held = await steps.createRunning({ typeName: "b" }, { leaseMs: minuteMs });
      await steps.untilExpired(expired);
      await steps.untilStoreTime(held.lastAttemptAt ?? new Date(0));
      const quick = await stateAdapter.summarize({ runningLongMs: 0 });
      expect(quick).toMatchObject({ expiredLeaseCount: 1, runningLongCount: 2 });
      const slow = await stateAdapter.summarize({ runningLongMs: thirtyDaysMs });
      expect(slow).toMatchObject({ expiredLeaseCount: 1, runningLongCount: 0 });
    },
  );

  rule("sees the writes of its transaction", async ({ openTransaction, stateAdapter }) => {
    const { context, steps, rollback } = await openTransaction();
    await steps.createOne({ typeName: "a" });
    const inside = await stateAdapter.summarize({ context, runningLongMs: minuteMs });
    expect(positiveCountsOf(inside)).toEqual({ "a pending": 1 });
    await rollback();
    const outside = await stateAdapter.summarize({ runningLongMs: minuteMs });
    expect(positiveCountsOf(outside)).toEqual({});
  });
});
