import type { Database, InProcessMethod } from "../database.ts";
import { comparePlaces, toTickPlace } from "../schedule-tables.ts";

export const listScheduleTicks =
  (database: Database): InProcessMethod<"listScheduleTicks"> =>
  async ({ context, scheduleName, from, to, after, order, limit }) =>
    database.read(context, "listScheduleTicks", ({ scheduling }, view) => {
      const sign = order === "asc" ? 1 : -1;
      return [...scheduling.ticks.rows(view)]
        .filter((tick) => tick.scheduleName === scheduleName)
        .filter(({ tickAt }) => from === null || tickAt >= from)
        .filter(({ tickAt }) => to === null || tickAt < to)
        .filter((tick) => after === null || sign * comparePlaces(toTickPlace(tick), after) > 0)
        .sort((one, other) => sign * comparePlaces(toTickPlace(one), toTickPlace(other)))
        .slice(0, Math.max(0, limit))
        .map((tick) => ({ ...tick }));
    });
