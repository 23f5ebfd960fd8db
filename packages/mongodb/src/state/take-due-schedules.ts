// Locks due schedules. Two transactions that write one document cannot both commit, and the later one fails at once. So a
// worker first puts its hold on schedules, outside its transaction, and the others leave them alone.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createStamp } from "../job-document.ts";
import { toStateSchedule } from "../schedule-document.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

// From the hold to the first write of the transaction, which then locks the schedules by itself.
const holdMs = 1_000;

const isFree = {
  lookAt: { $exists: true },
  $expr: {
    $and: [
      { $lte: ["$lookAt", "$$NOW"] },
      { $lte: [{ $ifNull: ["$heldUntil", { $literal: new Date(0) }] }, "$$NOW"] },
    ],
  },
} as const;

export const takeDueSchedules =
  (db: Database): StateAdapter<object, object, string>["takeDueSchedules"] =>
  async ({ context, limit }) => {
    const scope = db.writeScopeOf(context);
    const hold = createStamp();
    const { now } = await db.ordinals.take(1);
    const due =
      limit <= 0
        ? []
        : await db.schedules.find(outside, isFree, {
            ...{ projection: { _id: 1 }, sort: { lookAt: 1 }, limit, candidates: true },
          });
    const ids = due.map(({ _id }) => _id);
    if (ids.length === 0) return { now, schedules: [] };
    await skipLocked(db, ids, (holding, some, options) =>
      db.schedules.updateMany(
        holding,
        { _id: { $in: some }, ...isFree },
        [{ $set: { hold, heldUntil: { $add: ["$$NOW", holdMs] } } }],
        options,
      ),
    );
    // Fails if another transaction has written one of them since. From here on the transaction itself locks them.
    await db.schedules.updateMany(
      scope,
      { _id: { $in: ids }, hold },
      { $set: { stamp: hold }, $unset: { hold: 1, heldUntil: 1 } },
    );
    const taken = { _id: { $in: ids }, stamp: hold };
    const schedules = await db.schedules.find(scope, taken, { sort: { lookAt: 1 } });
    return { now, schedules: schedules.map(toStateSchedule) };
  };
