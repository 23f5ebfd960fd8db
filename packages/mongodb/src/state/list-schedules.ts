import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateSchedule } from "../schedule-document.ts";

export const listSchedules =
  (db: Database): StateAdapter<object, object, string>["listSchedules"] =>
  async ({ context, names, isDeclared, afterName, limit }) => {
    if (limit <= 0) return [];
    const found = await db.schedules.find(
      db.scopeOf(context),
      {
        $and: [
          names === null ? {} : { _id: { $in: names } },
          isDeclared === null ? {} : { isDeclared },
          afterName === null ? {} : { _id: { $gt: afterName } },
        ],
      },
      { sort: { _id: 1 }, limit },
    );
    return found.map(toStateSchedule);
  };
