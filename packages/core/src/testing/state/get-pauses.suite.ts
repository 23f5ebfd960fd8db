import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const task = { typeName: "task" };
const other = { typeName: "other" };
const everything = { typeName: null };

export const getPausesSuite: StateSuite = defineStateSuite("getPauses", (rule) => {
  rule(
    "The pauses that have not ended: that of every type first, then those of types by name.",
    async ({ steps, stateAdapter, secondStateAdapter }) => {
      const { createdAt } = await steps.createOne();
      await steps.untilStoreTime(createdAt);
      await stateAdapter.pause({ targets: [task], forMs: null, note: "a provider is down" });
      await stateAdapter.pause({ targets: [everything, other], forMs: minuteMs, note: null });
      const pauses = await secondStateAdapter.getPauses();
      expect(pauses).toEqual([
        { ...everything, note: null, pausedAt: expect.any(Date), until: expect.any(Date) },
        { ...other, note: null, pausedAt: expect.any(Date), until: expect.any(Date) },
        { ...task, note: "a provider is down", pausedAt: expect.any(Date), until: null },
      ]);
      for (const { pausedAt, until } of pauses) {
        expect(pausedAt.getTime()).toBeGreaterThan(createdAt.getTime());
        if (until !== null) expect(until.getTime() - pausedAt.getTime()).toBe(minuteMs);
      }
    },
  );
});
