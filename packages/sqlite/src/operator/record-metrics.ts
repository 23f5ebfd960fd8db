import { metricStepsMs, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const recordMetrics = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["recordMetrics"]> => {
  const { metric } = database.names;
  const add = `
INSERT INTO ${metric} AS old (step_ms, at, type_name, counts) VALUES (?, ?, ?, ?)
ON CONFLICT (step_ms, at, type_name) DO UPDATE SET counts = (
  SELECT json_group_object(key, total) FROM (
    SELECT key, sum(value) AS total FROM (
      SELECT key, value FROM json_each(old.counts)
      UNION ALL
      SELECT key, value FROM json_each(excluded.counts))
    GROUP BY key))`;
  const forget = `DELETE FROM ${metric} WHERE step_ms = ? AND at < ?`;

  return ({ entries, minutesKeptMs, hoursKeptMs }) =>
    database.write("recordMetrics", undefined, (session) => {
      const now = session.now();
      const [minuteMs, hourMs] = metricStepsMs;
      for (const stepMs of metricStepsMs) {
        for (const { typeName, counts } of entries) {
          session.run(add, stepMs, now - (now % stepMs), typeName, JSON.stringify(counts));
        }
      }
      session.run(forget, minuteMs, Math.floor(now - minutesKeptMs));
      session.run(forget, hourMs, Math.floor(now - hoursKeptMs));
    });
};
