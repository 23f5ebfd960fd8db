import type { StateAdapter, StateSchedule, WriteSchedulesParams } from "queuert/internal";
import type { Database } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { createStamp } from "../job-document.ts";
import type { Scope } from "../store.ts";

export const writeSchedules =
  (db: Database): StateAdapter<object, object, string>["writeSchedules"] =>
  async ({ context, schedules }) => {
    if (schedules.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const stored = await db.schedules.find(
      scope,
      { _id: { $in: schedules.map(({ schedule }) => schedule.name) } },
      { projection: { _id: 1 } },
    );
    const names = new Set(stored.map(({ _id }) => _id));
    await replace(
      db,
      scope,
      schedules.filter(({ isNew, schedule }) => !isNew && names.has(schedule.name)),
    );
    const written: boolean[] = [];
    for (const { schedule, isNew } of schedules) {
      const exists = names.has(schedule.name);
      if (isNew && !exists) await insert(db, scope, schedule);
      names.add(schedule.name);
      written.push(isNew ? !exists : exists);
    }
    return written;
  };

const fieldsOf = ({ lookAt, isDeclared, definition }: StateSchedule): object => ({
  ...(lookAt !== null && { lookAt }),
  ...{ isDeclared, definition },
});

const replace = async (
  { schedules: collection }: Database,
  scope: Scope,
  schedules: WriteSchedulesParams<object>["schedules"],
): Promise<void> => {
  if (schedules.length === 0) return;
  await collection.bulkUpdate(
    scope,
    schedules.map(({ schedule }) => ({
      updateOne: {
        filter: { _id: schedule.name },
        update: {
          $set: { ...fieldsOf(schedule), stamp: createStamp() },
          $unset: { hold: 1, heldUntil: 1, ...(schedule.lookAt === null && { lookAt: 1 }) },
        },
      },
    })),
  );
};

/** A name that another transaction has taken since this one began is a conflict. */
const insert = async (
  { schedules }: Database,
  scope: Scope,
  schedule: StateSchedule,
): Promise<void> =>
  duplicateAsConflict(() =>
    schedules.findOneAndUpdate(
      scope,
      { _id: schedule.name },
      { $setOnInsert: { ...fieldsOf(schedule), stamp: createStamp() } },
      { upsert: true },
    ),
  );
