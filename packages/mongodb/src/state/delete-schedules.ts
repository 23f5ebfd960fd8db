import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

export const deleteSchedules =
  (db: Database): StateAdapter<object, object, string>["deleteSchedules"] =>
  async ({ context, names }) => {
    if (names.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const filter = { _id: { $in: [...names].sort() } };
    const stored = await db.schedules.find(scope, filter, { projection: { _id: 1 } });
    const existing = new Set(stored.map(({ _id }) => _id));
    // The schedules first: this fails if another transaction is about to add ticks.
    await db.schedules.deleteMany(scope, filter);
    await db.ticks.deleteMany(scope, { scheduleName: { $in: [...existing] } });
    return names.map((name) => existing.delete(name));
  };
