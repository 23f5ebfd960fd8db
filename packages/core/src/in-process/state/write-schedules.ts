import type { Database, InProcessMethod } from "../database.ts";

export const writeSchedules =
  (database: Database): InProcessMethod<"writeSchedules"> =>
  async ({ context, schedules }) =>
    database.writeInTransaction(context, "writeSchedules", ({ scheduling }) =>
      schedules.map(({ schedule, isNew }) => {
        const isFree = scheduling.schedules.get(schedule.name) === undefined;
        if (isFree === isNew) scheduling.schedules.put(schedule.name, { ...schedule });
        return isFree === isNew;
      }),
    );
