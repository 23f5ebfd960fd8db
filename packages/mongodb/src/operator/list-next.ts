// The index `due` is in the order of acquisition. A job under a key has no `priority` of its own.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { within } from "../store.ts";

export const listNext =
  (db: Database): NonNullable<OperatorStore["listNext"]> =>
  async ({ typeName, limit, examineMax, timeoutMs }) => {
    const pending = await db.jobs.aggregate<{ _id: string; isDue: boolean }>(within(timeoutMs), [
      { $match: { status: "pending", typeName, priority: { $exists: true } } },
      { $sort: { priority: -1, scheduledAt: 1, ordinal: 1 } },
      { $limit: examineMax },
      { $project: { isDue: { $lte: ["$scheduledAt", "$$NOW"] } } },
    ]);
    const due = pending.filter(({ isDue }) => isDue);
    return {
      ids: due.slice(0, limit).map(({ _id }) => _id),
      isCut: due.length < limit && pending.length >= examineMax,
    };
  };
