import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { commitOrders, nameInterleaving, race } from "../race.ts";
import { aTick, listAll, listTicks, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const deleteSchedulesSuite: StateSuite = defineStateSuite("deleteSchedules", (rule) => {
  rule(
    "Deletes schedules with their ticks. Their sequences stay. True for each that existed.",
    async ({ stateAdapter, runInTransaction, steps }) => {
      const job = await steps.createOne();
      const [, b] = await storeSchedules(stateAdapter, { name: "a" }, { name: "b" });
      const ticks = ["a", "b"].map((scheduleName) => aTick({ scheduleName, sequenceId: job.id }));
      await runInTransaction((context) => stateAdapter.recordTicks({ context, ticks }));
      const deleted = await runInTransaction((context) =>
        stateAdapter.deleteSchedules({ context, names: ["absent", "a"] }),
      );
      expect(deleted).toEqual([false, true]);
      expect(await listAll(stateAdapter)).toEqual([b]);
      expect(await listTicks(stateAdapter, "a")).toEqual([]);
      expect(await listTicks(stateAdapter, "b")).toHaveLength(1);
      expect(await steps.get(job)).toEqual(job);
    },
  );

  for (const interleaving of commitOrders) {
    rule(
      `Waits for a transaction that holds one, or rejects. ${nameInterleaving(interleaving)}`,
      async (test) => {
        await storeSchedules(test.stateAdapter, { lookAt: past() });
        const { first, second } = await race(test, {
          ...interleaving,
          first: async (_steps, context, adapter) => {
            const { schedules } = await adapter.takeDueSchedules({ context, limit: 1 });
            const lookAt = new Date(Date.now() + minuteMs);
            const fired = schedules.map((one) => ({ schedule: { ...one, lookAt }, isNew: false }));
            await adapter.recordTicks({ context, ticks: [aTick()] });
            return adapter.writeSchedules({ context, schedules: fired });
          },
          second: (_steps, context, adapter) =>
            adapter.deleteSchedules({ context, names: ["nightly"] }),
        });
        expect([first, second]).toEqual([[true], [true]]);
        expect(await listAll(test.stateAdapter)).toEqual([]);
        expect(await listTicks(test.stateAdapter)).toEqual([]);
      },
    );
  }

  rule("is rolled back with its transaction", async ({ stateAdapter, openTransaction }) => {
    const stored = await storeSchedules(stateAdapter, {});
    const { context, rollback } = await openTransaction();
    await stateAdapter.deleteSchedules({ context, names: ["nightly"] });
    await rollback();
    expect(await listAll(stateAdapter)).toEqual(stored);
  });

  rule("an empty array is answered with one", async ({ stateAdapter, runInTransaction }) => {
    const deleted = await runInTransaction((context) =>
      stateAdapter.deleteSchedules({ context, names: [] }),
    );
    expect(deleted).toEqual([]);
  });
});
