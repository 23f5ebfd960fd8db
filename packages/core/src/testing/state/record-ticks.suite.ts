import { expect } from "vitest";
import { aTick, listTicks, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateTick } from "../../adapters/state-adapter-schedules.ts";

const record = (
  adapter: AnyStateAdapter,
  ...ticks: readonly StateTick[]
): Promise<readonly boolean[]> =>
  adapter.runInTransaction(async (context) => {
    await adapter.lockSchedules({ context, names: ["nightly"] });
    return adapter.recordTicks({ context, ticks });
  });

export const recordTicksSuite: StateSuite = defineStateSuite("recordTicks", (rule) => {
  rule(
    "One tick for each schedule and instant, and one manual tick beside it.",
    async ({ stateAdapter, steps }) => {
      const { id: sequenceId } = await steps.createOne();
      await storeSchedules(stateAdapter, { name: "nightly" }, { name: "other" });
      const tick = aTick({ sequenceId });
      const manual = aTick({ kind: "manual", outcome: "skipped" });
      const later = aTick({ tickAt: past(1), kind: "backfill" });
      const other = aTick({ scheduleName: "other", outcome: "deduplicated", sequenceId });
      expect(await record(stateAdapter, tick, manual, later, other)).toEqual([
        true,
        true,
        true,
        true,
      ]);
      expect(await listTicks(stateAdapter)).toEqual([tick, manual, later]);
      expect(await listTicks(stateAdapter, "other")).toEqual([other]);
    },
  );

  rule(
    "A tick that was `missed` or `buffered` is replaced. Any other stays as it is.",
    async ({ stateAdapter, steps }) => {
      const { id: sequenceId } = await steps.createOne();
      await storeSchedules(stateAdapter, {});
      const outcomes = ["missed", "buffered", "started", "skipped", "deduplicated"] as const;
      const before = outcomes.map((outcome, index) => aTick({ tickAt: past(index), outcome }));
      await record(stateAdapter, ...before);
      const after = before.map((tick): StateTick => ({
        ...tick,
        kind: "backfill",
        outcome: "started",
        firedAt: past(100),
        sequenceId,
      }));
      expect(await record(stateAdapter, ...after)).toEqual([true, true, false, false, false]);
      const expected = before.map((tick, index) => (index < 2 ? after[index] : tick));
      expect(await listTicks(stateAdapter)).toEqual(expected);
    },
  );

  rule("is rolled back with its transaction", async ({ stateAdapter, openTransaction }) => {
    await storeSchedules(stateAdapter, {});
    const { context, rollback } = await openTransaction();
    await stateAdapter.recordTicks({ context, ticks: [aTick()] });
    await rollback();
    expect(await listTicks(stateAdapter)).toEqual([]);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await record(stateAdapter)).toEqual([]);
  });
});
