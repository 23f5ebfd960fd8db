import type { Database, InProcessMethod } from "../database.ts";
import { toTickId } from "../schedule-tables.ts";
import type { Store } from "../store.ts";

export const deleteSchedules =
  (database: Database): InProcessMethod<"deleteSchedules"> =>
  async ({ context, names }) =>
    database.writeInTransaction(context, "deleteSchedules", (store) => remove(store, names));

const remove = ({ scheduling }: Store, names: readonly string[]): readonly boolean[] => {
  const { schedules, ticks } = scheduling;
  const removed = names.map((name) => {
    const exists = schedules.get(name) !== undefined;
    if (exists) schedules.put(name, undefined);
    return exists;
  });
  const gone = new Set(names.filter((_, index) => removed[index]));
  if (gone.size === 0) return removed;
  for (const tick of [...ticks.rows("transaction")]) {
    if (gone.has(tick.scheduleName)) ticks.put(toTickId(tick), undefined);
  }
  return removed;
};
