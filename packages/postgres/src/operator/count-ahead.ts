import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";

export const countAhead = (db: PgDatabase): NonNullable<OperatorStore["countAhead"]> => {
  const count = db.routine("count_ahead", { ids: "id[]", max: "integer" });
  return async ({ ids, max, timeoutMs }) => {
    if (ids.length === 0) return [];
    const rows = await count({ ids: db.ids(ids), max: String(max) }, undefined, timeoutMs);
    const byElement = new Map(rows.map((row) => [Number(row["element"]), row]));
    return ids.map((_, index) => {
      const row = byElement.get(index + 1);
      if (row === undefined) return undefined;
      const due = Number(row["due"]);
      const all = due + Number(row["earlier"]);
      const ahead = Math.min(all, max);
      return {
        ahead,
        higherPriority: Math.min(due, ahead),
        isAtLeast: Number(row["looked"]) > max || all > max,
      };
    });
  };
};
