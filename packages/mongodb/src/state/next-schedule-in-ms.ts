import { limits, type StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const nextScheduleInMs =
  (db: Database): StateAdapter<object, object, string>["nextScheduleInMs"] =>
  async () => {
    const [first] = await db.schedules.aggregate<{ readonly inMs: number }>(outside, [
      { $match: { lookAt: { $exists: true } } },
      { $sort: { lookAt: 1 } },
      { $limit: 1 },
      { $project: { inMs: { $toDouble: { $subtract: ["$lookAt", "$$NOW"] } } } },
    ]);
    if (first === undefined) return null;
    return Math.min(Math.max(Math.ceil(first.inMs), 0), limits.timerMsMax);
  };
