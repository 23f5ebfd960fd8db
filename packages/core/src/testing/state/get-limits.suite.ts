import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const getLimitsSuite: StateSuite = defineStateSuite("getLimits", (rule) => {
  rule(
    "The limits that are stored, with their use, by name.",
    async ({ steps, stateAdapter, secondStateAdapter }) => {
      const { createdAt } = await steps.createOne();
      await steps.untilStoreTime(createdAt);
      const rate = { count: 3, perMs: 30 * minuteMs, burst: 3 };
      await stateAdapter.setLimits({
        limits: [
          { name: "task", concurrency: 5, rate, declaration: { hash: "h", revision: 7 } },
          { name: "other", concurrency: 2, rate: null, declaration: null },
        ],
      });
      await steps.createRunning({ typeName: "other" });
      await steps.untilExpired(await steps.createRunning({ typeName: "other" }, { leaseMs: 1 }));
      await steps.acquireOne();
      const limits = await secondStateAdapter.getLimits({ names: null });
      expect(limits).toMatchObject([
        {
          ...{ name: "other", concurrency: 2, rate: null, declaration: null },
          ...{ updatedAt: expect.any(Date), running: 1, tokens: null },
        },
        {
          ...{ name: "task", concurrency: 5, rate, declaration: { hash: "h", revision: 7 } },
          ...{ updatedAt: expect.any(Date), running: 1, tokens: 2 },
        },
      ]);
      for (const { updatedAt } of limits) {
        expect(updatedAt.getTime()).toBeGreaterThan(createdAt.getTime());
      }
      const some = await stateAdapter.getLimits({ names: ["other", "none"] });
      expect(some).toEqual(limits.slice(0, 1));
      expect(await stateAdapter.getLimits({ names: [] })).toEqual([]);
    },
  );

  rule("Those without bounds are among them.", async ({ stateAdapter }) => {
    const none = { name: "task", concurrency: null, rate: null, declaration: null };
    await stateAdapter.setLimits({ limits: [none] });
    expect(await stateAdapter.getLimits({ names: null })).toMatchObject([none]);
  });
});
