import { expect } from "vitest";
import { interleavings, nameInterleaving, race } from "../race.ts";
import { aSchedule, listAll, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const lockSchedulesSuite: StateSuite = defineStateSuite("lockSchedules", (rule) => {
  rule(
    "Undefined for a schedule that does not exist.",
    async ({ stateAdapter, runInTransaction }) => {
      const [a, b] = await storeSchedules(stateAdapter, { name: "a" }, { name: "b" });
      const { schedules } = await runInTransaction((context) =>
        stateAdapter.lockSchedules({ context, names: ["b", "absent", "a", "b"] }),
      );
      expect(schedules).toEqual([b, undefined, a, b]);
    },
  );

  rule("sees the writes of its own transaction", async ({ stateAdapter, runInTransaction }) => {
    await storeSchedules(stateAdapter, {});
    const changed = aSchedule({ definition: '{"typeName":"other"}' });
    const { schedules } = await runInTransaction(async (context) => {
      await stateAdapter.lockSchedules({ context, names: ["nightly"] });
      await stateAdapter.writeSchedules({
        context,
        schedules: [{ schedule: changed, isNew: false }],
      });
      return stateAdapter.lockSchedules({ context, names: ["nightly"] });
    });
    expect(schedules).toEqual([changed]);
  });

  for (const interleaving of interleavings) {
    const title =
      "Waits for another transaction that holds one, or rejects; the returned schedule is current.";
    rule(`${title} ${nameInterleaving(interleaving)}`, async (test) => {
      await storeSchedules(test.stateAdapter, { definition: "0" });
      const increment = async (context: object, adapter: typeof test.stateAdapter) => {
        const { schedules } = await adapter.lockSchedules({ context, names: ["nightly"] });
        await adapter.writeSchedules({
          context,
          schedules: schedules.flatMap((schedule) =>
            schedule === undefined
              ? []
              : [
                  {
                    schedule: { ...schedule, definition: String(Number(schedule.definition) + 1) },
                    isNew: false,
                  },
                ],
          ),
        });
      };
      await race(test, {
        ...interleaving,
        first: (_steps, context, adapter) => increment(context, adapter),
        second: (_steps, context, adapter) => increment(context, adapter),
      });
      const expected = interleaving.firstEnds === "commit" ? "2" : "1";
      expect(await listAll(test.stateAdapter)).toEqual([aSchedule({ definition: expected })]);
    });
  }

  rule("an empty array is answered with one", async ({ stateAdapter, runInTransaction }) => {
    const { schedules } = await runInTransaction((context) =>
      stateAdapter.lockSchedules({ context, names: [] }),
    );
    expect(schedules).toEqual([]);
  });
});
