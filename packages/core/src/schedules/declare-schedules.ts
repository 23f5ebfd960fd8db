// Schedules that are declared in code, written when the client is created. An unchanged declaration writes nothing: a pause
// and the changes of an operator stay.
import { createHash } from "node:crypto";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { assertName, assertObject } from "../model/assert-option.ts";
import type { SchedulesOptions } from "../public-types/schedules.ts";
import { checkSchedule } from "./check-schedule.ts";
import { changeSchedules } from "./hold-schedules.ts";
import { fromStateSchedule, type HeldSchedule } from "./stored-schedule.ts";
import { type NewSchedule, storeSchedules } from "./upsert-schedules.ts";

/** Writes the declared schedules that have changed, and deletes those that are gone. */
export const declareSchedules = async (
  engine: Engine,
  { declared, revision = 0, prune = false }: SchedulesOptions<unknown>,
): Promise<void> => {
  if (declared === undefined) return;
  const schedules: NewSchedule[] = [];
  for (const [name, options] of Object.entries(declared.byName)) {
    assertName(name, "name");
    assertObject(options, `schedules.declared["${name}"]`);
    const fields = await checkSchedule(engine, name, options);
    const hash = createHash("sha256").update(JSON.stringify(fields)).digest("hex");
    schedules.push({ name, fields, declaration: { hash, revision } });
  }
  const stored = await listDeclared(engine);
  const changed = schedules.filter(({ name, declaration }) => {
    const known = stored.get(name)?.state;
    return known === undefined || (known.declaredHash ?? "") !== declaration?.hash;
  });
  const names = new Set(schedules.map(({ name }) => name));
  const gone = [...stored.values()].flatMap(({ name, state }) =>
    prune && !names.has(name) && (state.revision ?? 0) <= revision ? [name] : [],
  );
  if (changed.length === 0 && gone.length === 0) return;
  await changeSchedules(engine, {
    operation: "createQueuert",
    context: undefined,
    run: async (context) => {
      await storeSchedules(engine, context, changed);
      if (gone.length > 0) await engine.state.deleteSchedules({ context, names: gone });
    },
  });
};

const listDeclared = async ({ state }: Engine): Promise<ReadonlyMap<string, HeldSchedule>> => {
  const found = new Map<string, HeldSchedule>();
  for (let afterName: string | null = null; ;) {
    const page = await state.listSchedules({
      names: null,
      isDeclared: true,
      afterName,
      limit: limits.listLimitMax,
    });
    for (const schedule of page) found.set(schedule.name, fromStateSchedule(schedule));
    afterName = page.at(-1)?.name ?? null;
    if (page.length < limits.listLimitMax || afterName === null) return found;
  }
};
