import { expect } from "vitest";
import { storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const all = { names: null, isDeclared: null, afterName: null, limit: 100 };

export const listSchedulesSuite: StateSuite = defineStateSuite("listSchedules", (rule) => {
  rule(
    "One page of schedules by name, in the order of code points, strictly after `afterName`.",
    async ({ stateAdapter }) => {
      const names = ["b", "a-2", "B", "a", "\u{1f600}", "\uff5e", "a1", "_", "ä"];
      await storeSchedules(stateAdapter, ...names.map((name) => ({ name })));
      const sorted = ["B", "_", "a", "a-2", "a1", "b", "ä", "\uff5e", "\u{1f600}"];
      const page = async (afterName: string | null, limit: number): Promise<string[]> =>
        (await stateAdapter.listSchedules({ ...all, afterName, limit })).map(({ name }) => name);
      expect(await page(null, 100)).toEqual(sorted);
      expect(await page(null, 4)).toEqual(sorted.slice(0, 4));
      expect(await page("a-2", 4)).toEqual(sorted.slice(4, 8));
      expect(await page("\uff5e", 4)).toEqual(sorted.slice(8));
      expect(await page(null, 0)).toEqual([]);
    },
  );

  rule("narrows by names and by declaration", async ({ stateAdapter }) => {
    const [a, b, c] = await storeSchedules(
      stateAdapter,
      { name: "a", isDeclared: true },
      { name: "b" },
      { name: "c", isDeclared: true },
    );
    const list = (params: object) => stateAdapter.listSchedules({ ...all, ...params });
    expect(await list({ isDeclared: true })).toEqual([a, c]);
    expect(await list({ isDeclared: false })).toEqual([b]);
    expect(await list({ names: ["c", "absent", "b"] })).toEqual([b, c]);
    expect(await list({ names: ["c", "b"], isDeclared: true, afterName: "b" })).toEqual([c]);
    expect(await list({ names: [] })).toEqual([]);
  });

  rule("sees the uncommitted writes of its context alone", async (test) => {
    const { stateAdapter, secondStateAdapter, openTransaction } = test;
    const [stored] = await storeSchedules(stateAdapter, {});
    const { context, rollback } = await openTransaction();
    await stateAdapter.deleteSchedules({ context, names: ["nightly"] });
    expect(await stateAdapter.listSchedules({ ...all, context })).toEqual([]);
    const reading = secondStateAdapter.listSchedules(all);
    await test.settlesOrWaits(reading);
    await rollback();
    expect(await reading).toEqual([stored]);
  });
});
