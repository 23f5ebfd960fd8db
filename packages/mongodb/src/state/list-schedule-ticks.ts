import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { ticksAfter, toStateTick } from "../schedule-document.ts";

export const listScheduleTicks =
  (db: Database): StateAdapter<object, object, string>["listScheduleTicks"] =>
  async ({ context, scheduleName, from, to, after, order, limit }) => {
    if (limit <= 0) return [];
    const direction = order === "asc" ? 1 : -1;
    const found = await db.ticks.find(
      db.scopeOf(context),
      {
        $and: [
          { scheduleName },
          from === null ? {} : { tickAt: { $gte: from } },
          to === null ? {} : { tickAt: { $lt: to } },
          after === null ? {} : ticksAfter(after, order),
        ],
      },
      { sort: { tickAt: direction, isManual: direction }, limit },
    );
    return found.map(toStateTick);
  };
