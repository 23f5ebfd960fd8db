import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const task = { typeName: "task" };
const other = { typeName: "other" };
const everything = { typeName: null };

export const resumeSuite: StateSuite = defineStateSuite("resume", (rule) => {
  rule("Answers for each target whether it was paused.", async ({ stateAdapter }) => {
    await stateAdapter.pause({ targets: [task], forMs: null, note: null });
    const targets = [other, task, everything];
    expect(await stateAdapter.resume({ targets })).toEqual([false, true, false]);
    expect(await stateAdapter.resume({ targets })).toEqual([false, false, false]);
  });

  rule("jobs are acquired again at once", async ({ steps, secondStateAdapter, stateAdapter }) => {
    await steps.createOne();
    await stateAdapter.pause({ targets: [task], forMs: null, note: null });
    expect(await steps.acquire()).toEqual([]);
    await secondStateAdapter.resume({ targets: [task] });
    expect(await steps.acquire()).toHaveLength(1);
  });
});
