// Counts are added by `$inc`: processes add to the same documents, and none is lost.
import { metricStepsMs, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";
import { readClock } from "./read-clock.ts";

/** One document for each step, its beginning and a type. */
export const metricId = (stepMs: number, at: Date, typeName: string): string =>
  `${stepMs} ${at.getTime()} ${typeName}`;

export const recordMetrics = (db: Database): NonNullable<OperatorStore["recordMetrics"]> => {
  const readNow = readClock(db);
  return async ({ entries, minutesKeptMs, hoursKeptMs }) => {
    const now = (await readNow()).getTime();
    const [minuteMs, hourMs] = metricStepsMs;
    const updates = metricStepsMs.flatMap((stepMs) => {
      const at = new Date(now - (now % stepMs));
      return entries.map(({ typeName, counts }) => ({
        updateOne: {
          filter: { _id: metricId(stepMs, at, typeName) },
          update: {
            $setOnInsert: { stepMs, typeName, at },
            $inc: Object.fromEntries(
              Object.entries(counts).map(([name, count]) => [`counts.${name}`, count]),
            ),
          },
          upsert: true,
        },
      }));
    });
    if (updates.length > 0) await db.metrics.bulkUpdate(outside, updates);
    await db.metrics.deleteMany(outside, {
      stepMs: minuteMs,
      at: { $lt: new Date(now - minutesKeptMs) },
    });
    await db.metrics.deleteMany(outside, {
      stepMs: hourMs,
      at: { $lt: new Date(now - hoursKeptMs) },
    });
  };
};
