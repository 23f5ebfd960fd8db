import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { aTick, listTicks, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const deleteScheduleTicksSuite: StateSuite = defineStateSuite(
  "deleteScheduleTicks",
  (rule) => {
    rule("Oldest first; a younger tick stays.", async ({ stateAdapter, runInTransaction }) => {
      await storeSchedules(stateAdapter, {});
      const young = aTick({ tickAt: past(20), firedAt: new Date(Date.now() - minuteMs) });
      const old = [3, 1, 2].map((seconds) =>
        aTick({ tickAt: past(10 - seconds), firedAt: past(seconds) }),
      );
      await runInTransaction((context) =>
        stateAdapter.recordTicks({ context, ticks: [young, ...old] }),
      );
      const remove = (limit: number) =>
        stateAdapter.deleteScheduleTicks({ firedForMs: 30 * minuteMs, limit });
      expect(await remove(0)).toBe(0);
      expect(await remove(2)).toBe(2);
      expect(await listTicks(stateAdapter)).toEqual([old[0], young]);
      expect(await remove(2)).toBe(1);
      expect(await remove(2)).toBe(0);
      expect(await listTicks(stateAdapter)).toEqual([young]);
    });
  },
);
