import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";

export const findLocks = (db: PgDatabase): NonNullable<OperatorStore["findLocks"]> => {
  const find = db.routine("find_locks", { ids: "id[]" });
  return async ({ ids }) => {
    if (ids.length === 0) return [];
    const rows = await find({ ids: db.ids(ids) });
    const byElement = new Map(rows.map((row) => [Number(row["element"]), row]));
    return ids.map((_, index) => {
      const row = byElement.get(index + 1);
      if (row === undefined) return undefined;
      const forMs = row["for_ms"] ?? null;
      return {
        pid: Number(row["pid"]),
        application: String(row["application"]),
        forMs: forMs === null ? null : Number(forMs),
      };
    });
  };
};
