import { expect } from "vitest";
import { aTick, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const all = { from: null, to: null, after: null, limit: 100 } as const;

export const listScheduleTicksSuite: StateSuite = defineStateSuite("listScheduleTicks", (rule) => {
  rule(
    "One page of the ticks of a schedule, by instant.",
    async ({ stateAdapter, runInTransaction }) => {
      await storeSchedules(stateAdapter, { name: "nightly" }, { name: "other" });
      const ticks = [
        aTick({ tickAt: past(1) }),
        aTick({ tickAt: past(2) }),
        aTick({ tickAt: past(2), kind: "manual" }),
        aTick({ tickAt: past(3) }),
      ];
      const shuffled = [2, 0, 3, 1].flatMap((index) => ticks[index] ?? []);
      const others = [aTick({ scheduleName: "other", tickAt: past(2) })];
      await runInTransaction((context) =>
        stateAdapter.recordTicks({ context, ticks: [...others, ...shuffled] }),
      );
      const list = (params: object, order: "asc" | "desc" = "asc") =>
        stateAdapter.listScheduleTicks({ scheduleName: "nightly", order, ...all, ...params });
      expect(await list({})).toEqual(ticks);
      expect(await list({}, "desc")).toEqual([...ticks].reverse());
      expect(await list({ limit: 2 }, "desc")).toEqual([ticks[3], ticks[2]]);
      expect(await list({ from: past(2) })).toEqual(ticks.slice(1));
      expect(await list({ to: past(2) })).toEqual(ticks.slice(0, 1));
      // A page may end between two ticks of one instant.
      const first = { tickAt: past(2), isManual: false };
      const second = { tickAt: past(2), isManual: true };
      expect(await list({ after: first })).toEqual(ticks.slice(2));
      expect(await list({ after: second })).toEqual(ticks.slice(3));
      expect(await list({ after: second }, "desc")).toEqual([ticks[1], ticks[0]]);
      expect(await list({ limit: 0 })).toEqual([]);
    },
  );

  rule("sees the uncommitted writes of its context alone", async (test) => {
    const { stateAdapter, secondStateAdapter, openTransaction } = test;
    await storeSchedules(stateAdapter, {});
    const { context, rollback } = await openTransaction();
    await stateAdapter.recordTicks({ context, ticks: [aTick()] });
    const params = { scheduleName: "nightly", order: "asc", ...all } as const;
    expect(await stateAdapter.listScheduleTicks({ ...params, context })).toEqual([aTick()]);
    const reading = secondStateAdapter.listScheduleTicks(params);
    await test.settlesOrWaits(reading);
    await rollback();
    expect(await reading).toEqual([]);
  });
});
