import { metricStepsMs } from "../../adapters/operator-store.ts";
import { addCounts } from "../../observe/statistics.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";

export const recordMetrics =
  (database: Database): InProcessOperatorMethod<"recordMetrics"> =>
  async ({ entries, minutesKeptMs, hoursKeptMs }) => {
    const { metrics } = database;
    const now = database.now();
    for (const stepMs of metricStepsMs) {
      const at = now - (now % stepMs);
      for (const { typeName, counts } of entries) {
        const key = JSON.stringify([stepMs, at, typeName]);
        const sum = { ...metrics.get(key)?.counts };
        addCounts(sum, counts);
        metrics.set(key, { stepMs, typeName, at: new Date(at), counts: sum });
      }
    }
    for (const [key, { stepMs, at }] of metrics) {
      const keptMs = stepMs === metricStepsMs[0] ? minutesKeptMs : hoursKeptMs;
      if (at.getTime() < now - keptMs) metrics.delete(key);
    }
  };
