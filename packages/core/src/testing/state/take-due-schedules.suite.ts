import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { past, storeSchedules } from "../schedule-steps.ts";
import { commitOrders, interleavings, nameInterleaving, race } from "../race.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const takeDueSchedulesSuite: StateSuite = defineStateSuite("takeDueSchedules", (rule) => {
  rule(
    "Due: `lookAt` is not after now. Earlier `lookAt` first, at most `limit`.",
    async ({ stateAdapter, runInTransaction }) => {
      const [second, first, third] = await storeSchedules(
        stateAdapter,
        { name: "b", lookAt: past(2), isDeclared: true },
        { name: "c", lookAt: past(1), definition: '{"cron":"0 0 * * *"}' },
        { name: "a", lookAt: past(3) },
        { name: "future", lookAt: new Date(Date.now() + 10 * minuteMs) },
        { name: "paused" },
      );
      const take = (limit: number) =>
        runInTransaction((context) => stateAdapter.takeDueSchedules({ context, limit }));
      expect((await take(10)).schedules).toEqual([first, second, third]);
      expect((await take(2)).schedules).toEqual([first, second]);
      expect((await take(0)).schedules).toEqual([]);
    },
  );

  rule("returns the store's clock", async ({ stateAdapter, runInTransaction, steps }) => {
    const before = await steps.createOne();
    const { now } = await runInTransaction((context) =>
      stateAdapter.takeDueSchedules({ context, limit: 1 }),
    );
    const after = await steps.createOne();
    expect(now.getTime()).toBeGreaterThanOrEqual(before.createdAt.getTime() - 1);
    expect(now.getTime()).toBeLessThanOrEqual(after.createdAt.getTime() + 1);
  });

  for (const interleaving of interleavings) {
    const title =
      "A schedule that was fired meanwhile is not due any more, so no instant is taken twice.";
    rule(`${title} ${nameInterleaving(interleaving)}`, async (test) => {
      const [schedule] = await storeSchedules(test.stateAdapter, { lookAt: past() });
      if (schedule === undefined) throw new Error("No schedule was stored");
      const fire = async (context: object, adapter: typeof test.stateAdapter) => {
        const { schedules } = await adapter.takeDueSchedules({ context, limit: 10 });
        const fired = schedules.map((taken) => ({
          schedule: { ...taken, lookAt: new Date(Date.now() + minuteMs) },
          isNew: false,
        }));
        await adapter.writeSchedules({ context, schedules: fired });
        return schedules.length;
      };
      const { first, second } = await race(test, {
        ...interleaving,
        first: (_steps, context, adapter) => fire(context, adapter),
        second: (_steps, context, adapter) => fire(context, adapter),
      });
      // After a rollback the schedule is due until it is taken again.
      expect((first ?? 0) + (second ?? 0)).toBeLessThanOrEqual(1);
      if (interleaving.firstEnds === "commit") expect(first).toBe(1);
    });
  }

  for (const interleaving of commitOrders) {
    const title =
      "Two transactions never hold the same schedule, and a schedule that another one holds is left out.";
    rule(`${title} ${nameInterleaving(interleaving)}`, async (test) => {
      await storeSchedules(test.stateAdapter, { name: "a", lookAt: past(1) });
      await storeSchedules(test.stateAdapter, { name: "b", lookAt: past(2) });
      const { first, second } = await race(test, {
        ...interleaving,
        first: async (_steps, context, adapter) => {
          const { schedules } = await adapter.takeDueSchedules({ context, limit: 1 });
          const fired = schedules.map((taken) => ({
            schedule: { ...taken, lookAt: null },
            isNew: false,
          }));
          await adapter.writeSchedules({ context, schedules: fired });
          return schedules.map(({ name }) => name);
        },
        second: async (_steps, context, adapter) =>
          (await adapter.takeDueSchedules({ context, limit: 1 })).schedules.map(({ name }) => name),
      });
      expect([first, second]).toEqual([["a"], ["b"]]);
    });
  }
});
