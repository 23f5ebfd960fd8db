// The report of a process's workers: an upsert for each, the removal of old ones, and a count.
import { lateFactor, type OperatorStore, type WorkerBeat } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const beat =
  (db: Database): NonNullable<OperatorStore["beat"]> =>
  async ({ process, workers, forgetAfterMs }) => {
    const updates = workers.map(({ instanceId, ...worker }: WorkerBeat) => ({
      updateOne: {
        filter: { _id: instanceId },
        update: [
          {
            $set: {
              ...literals({ ...process, ...worker }),
              startedAt: { $ifNull: ["$startedAt", "$$NOW"] },
              beatAt: "$$NOW",
            },
          },
        ],
        upsert: true,
      },
    }));
    if (updates.length > 0) await db.workers.bulkUpdate(outside, updates);
    await db.workers.deleteMany(outside, {
      $expr: { $lt: ["$beatAt", { $subtract: ["$$NOW", Math.round(forgetAfterMs)] }] },
    });
    const [alive] = await db.workers.aggregate<{ processCount: number }>(outside, countProcesses);
    return alive ?? { processCount: 0 };
  };

/** In a pipeline, a text that begins with `$` would be an expression. */
const literals = (values: object): object =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { $literal: value }]));

const countProcesses: object[] = [
  {
    $match: {
      state: { $ne: "stopped" },
      $expr: {
        $lt: [{ $subtract: ["$$NOW", "$beatAt"] }, { $multiply: ["$beatMs", lateFactor] }],
      },
    },
  },
  {
    $group: {
      _id: { host: "$host", machine: "$machine", pid: "$pid", processStart: "$processStart" },
    },
  },
  { $count: "processCount" },
];
