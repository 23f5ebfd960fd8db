import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";

export const recordMetrics = (db: PgDatabase): NonNullable<OperatorStore["recordMetrics"]> => {
  const record = db.routine("record_metrics", {
    entries: "text",
    minutes_kept_ms: "float8",
    hours_kept_ms: "float8",
  });
  return async ({ entries, minutesKeptMs, hoursKeptMs }) => {
    await record({
      entries: JSON.stringify(entries),
      minutes_kept_ms: String(minutesKeptMs),
      hours_kept_ms: String(hoursKeptMs),
    });
  };
};
