import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createStamp } from "../job-document.ts";
import { toStateSchedule } from "../schedule-document.ts";

export const lockSchedules =
  (db: Database): StateAdapter<object, object, string>["lockSchedules"] =>
  async ({ context, names }) => {
    const scope = db.writeScopeOf(context);
    const { now } = await db.ordinals.take(1);
    if (names.length === 0) return { now, schedules: [] };
    const filter = { _id: { $in: [...names].sort() } };
    // A write locks them. It fails if another transaction has written one of them and is open, or has committed since.
    await db.schedules.updateMany(scope, filter, { $set: { stamp: createStamp() } });
    const found = await db.schedules.find(scope, filter);
    const byName = new Map(found.map((document) => [document._id, toStateSchedule(document)]));
    return { now, schedules: names.map((name) => byName.get(name)) };
  };
