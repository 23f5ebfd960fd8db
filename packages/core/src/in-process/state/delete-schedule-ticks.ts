import type { Database, InProcessMethod } from "../database.ts";
import { toTickId } from "../schedule-tables.ts";

export const deleteScheduleTicks =
  (database: Database): InProcessMethod<"deleteScheduleTicks"> =>
  async ({ firedForMs, limit }) =>
    database.write(undefined, "deleteScheduleTicks", ({ scheduling, now }) => {
      const { ticks } = scheduling;
      const old = [...ticks.rows("transaction")]
        .filter(({ firedAt }) => firedAt.getTime() < now - firedForMs)
        .sort((one, other) => one.firedAt.getTime() - other.firedAt.getTime())
        .slice(0, Math.max(0, limit));
      for (const tick of old) ticks.put(toTickId(tick), undefined);
      return old.length;
    });
