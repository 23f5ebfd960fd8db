import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { scheduleColumns, type ScheduleRow, toStateSchedule } from "../schedule-row.ts";

export const takeDueSchedules = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["takeDueSchedules"] => {
  const due = `
SELECT ${scheduleColumns} FROM ${database.names.schedule}
WHERE look_at <= ? ORDER BY look_at LIMIT +?`;
  // Takes the write lock before the rows are read. A transaction of the user may have been begun without it.
  const lock = `UPDATE ${database.names.schedule} SET look_at = look_at WHERE FALSE`;

  return async ({ context, limit }) =>
    database.writeWithin("takeDueSchedules", context, (session) => {
      session.run(lock);
      const now = session.now();
      const rows = session.all<ScheduleRow>(due, now, Math.max(0, limit));
      return { now: new Date(now), schedules: rows.map(toStateSchedule) };
    });
};
