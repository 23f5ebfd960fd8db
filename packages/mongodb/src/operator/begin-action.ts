import { randomUUID } from "node:crypto";
import { actionsKeptMs, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const beginAction =
  (db: Database): NonNullable<OperatorStore["beginAction"]> =>
  async ({ id, ...action }) => {
    await db.actions.deleteMany(outside, {
      $expr: { $lt: ["$startedAt", { $subtract: ["$$NOW", actionsKeptMs] }] },
    });
    // The stamp of the call that has inserted the document.
    const stamp = randomUUID();
    const literals = Object.fromEntries(
      Object.entries(action).map(([key, value]) => [
        key,
        { $ifNull: [`$${key}`, { $literal: value }] },
      ]),
    );
    const stored = await db.actions.findOneAndUpdate(
      outside,
      { _id: id },
      [
        {
          $set: {
            ...literals,
            stamp: { $ifNull: ["$stamp", stamp] },
            startedAt: { $ifNull: ["$startedAt", "$$NOW"] },
            finishedAt: { $ifNull: ["$finishedAt", null] },
            done: { $ifNull: ["$done", 0] },
            refused: { $ifNull: ["$refused", 0] },
          },
        },
      ],
      { upsert: true },
    );
    return stored?.stamp === stamp;
  };
