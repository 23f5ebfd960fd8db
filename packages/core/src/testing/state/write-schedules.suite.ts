import { expect } from "vitest";
import { interleavings, nameInterleaving, race } from "../race.ts";
import { aSchedule, listAll, past, storeSchedules } from "../schedule-steps.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const odd = [
  '{"text":"a \\u0000 NUL, a \\"quote\\", \\ud800 a half"}',
  "{}",
  '{"ends":"\u{1f600} and \u2028"}',
];

export const writeSchedulesSuite: StateSuite = defineStateSuite("writeSchedules", (rule) => {
  rule(
    "`isNew`: false if the name is taken, also by a transaction that commits meanwhile, and nothing is written.",
    async ({ stateAdapter, runInTransaction }) => {
      const [first] = await storeSchedules(stateAdapter, { name: "a" });
      const other = aSchedule({ name: "a", definition: "{}", lookAt: past() });
      const fresh = aSchedule({ name: "b", lookAt: past(7), isDeclared: true });
      const written = await runInTransaction((context) =>
        stateAdapter.writeSchedules({
          context,
          schedules: [other, fresh].map((schedule) => ({ schedule, isNew: true })),
        }),
      );
      expect(written).toEqual([false, true]);
      expect(await listAll(stateAdapter)).toEqual([first, fresh]);
    },
  );

  for (const interleaving of interleavings) {
    const title =
      "`isNew`: false if the name is taken, also by a transaction that commits meanwhile, and nothing is written.";
    rule(`${title} ${nameInterleaving(interleaving)}`, async (test) => {
      const write =
        (definition: string) =>
        async (_: unknown, context: object, adapter: typeof test.stateAdapter) => {
          const schedules = [{ schedule: aSchedule({ definition }), isNew: true }];
          return adapter.writeSchedules({ context, schedules });
        };
      const { first, second } = await race(test, {
        ...interleaving,
        first: write('"first"'),
        second: write('"second"'),
      });
      const isFirst = interleaving.firstEnds === "commit";
      expect([first, second]).toEqual(isFirst ? [[true], [false]] : [undefined, [true]]);
      const definition = isFirst ? '"first"' : '"second"';
      expect(await listAll(test.stateAdapter)).toEqual([aSchedule({ definition })]);
    });
  }

  rule(
    "Otherwise the locked schedule is replaced; false if it does not exist.",
    async ({ stateAdapter, runInTransaction }) => {
      await storeSchedules(stateAdapter, { name: "a", lookAt: past() }, { name: "b" });
      const changed = aSchedule({ name: "a", isDeclared: true, definition: '{"changed":1}' });
      const written = await runInTransaction(async (context) => {
        await stateAdapter.lockSchedules({ context, names: ["a", "absent"] });
        return stateAdapter.writeSchedules({
          context,
          schedules: [aSchedule({ name: "absent" }), changed].map((schedule) => ({
            schedule,
            isNew: false,
          })),
        });
      });
      expect(written).toEqual([false, true]);
      expect(await listAll(stateAdapter)).toEqual([changed, aSchedule({ name: "b" })]);
    },
  );

  rule("keeps any JSON text as it is, and any name", async ({ stateAdapter }) => {
    const names = ["it's", 'a "b"', "\u{1f600}"];
    const stored = odd.map((definition, index) => ({ name: names[index] ?? "", definition }));
    await storeSchedules(stateAdapter, ...stored);
    const read = await stateAdapter.listSchedules({
      ...{ names, isDeclared: null, afterName: null, limit: 10 },
    });
    const byName = new Map(read.map(({ name, definition }) => [name, definition]));
    expect(names.map((name) => byName.get(name))).toEqual(odd);
  });

  rule("is rolled back with its transaction", async ({ stateAdapter, openTransaction }) => {
    const [old] = await storeSchedules(stateAdapter, { name: "a" });
    const { context, rollback } = await openTransaction();
    await stateAdapter.lockSchedules({ context, names: ["a"] });
    const changed = aSchedule({ name: "a", lookAt: past() });
    await stateAdapter.writeSchedules({
      context,
      schedules: [
        { schedule: changed, isNew: false },
        { schedule: aSchedule({ name: "b" }), isNew: true },
      ],
    });
    await rollback();
    expect(await listAll(stateAdapter)).toEqual([old]);
  });

  rule("an empty array is answered with one", async ({ stateAdapter, runInTransaction }) => {
    const written = await runInTransaction((context) =>
      stateAdapter.writeSchedules({ context, schedules: [] }),
    );
    expect(written).toEqual([]);
  });
});
