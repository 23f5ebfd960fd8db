import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { aSchedule, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const nextScheduleInMsSuite: StateSuite = defineStateSuite("nextScheduleInMs", (rule) => {
  rule(
    "The earliest `lookAt`, by the store's clock; schedules without one count for nothing.",
    async ({ stateAdapter, secondStateAdapter }) => {
      expect(await stateAdapter.nextScheduleInMs()).toBeNull();
      await storeSchedules(stateAdapter, { name: "paused" });
      expect(await stateAdapter.nextScheduleInMs()).toBeNull();
      const later = new Date(Date.now() + 30 * minuteMs);
      const sooner = new Date(Date.now() + 10 * minuteMs);
      await storeSchedules(
        stateAdapter,
        { name: "a", lookAt: later },
        { name: "b", lookAt: sooner },
      );
      const nextInMs = (await secondStateAdapter.nextScheduleInMs()) ?? 0;
      expect(nextInMs).toBeGreaterThan(9 * minuteMs);
      expect(nextInMs).toBeLessThanOrEqual(10 * minuteMs + 1_000);
    },
  );

  rule("0 if some are due already", async ({ stateAdapter }) => {
    await storeSchedules(stateAdapter, { lookAt: past() });
    expect(await stateAdapter.nextScheduleInMs()).toBe(0);
  });

  rule("a schedule in an open transaction counts for nothing", async (test) => {
    const { stateAdapter, secondStateAdapter, openTransaction } = test;
    const { context, rollback } = await openTransaction();
    const schedules = [{ schedule: aSchedule({ lookAt: past() }), isNew: true }];
    await stateAdapter.writeSchedules({ context, schedules });
    // A store with one connection reads when the transaction has ended.
    const reading = secondStateAdapter.nextScheduleInMs();
    await test.settlesOrWaits(reading);
    await rollback();
    expect(await reading).toBeNull();
    expect(await stateAdapter.nextScheduleInMs()).toBeNull();
  });
});
