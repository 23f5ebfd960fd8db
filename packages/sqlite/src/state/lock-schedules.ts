import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { scheduleColumns, type ScheduleRow, toStateSchedule } from "../schedule-row.ts";

export const lockSchedules = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["lockSchedules"] => {
  const select = `SELECT ${scheduleColumns} FROM ${database.names.schedule} WHERE name = ?`;

  // A transaction of the user's may not have written yet: an update that changes no row takes the write lock.
  const lock = `UPDATE ${database.names.schedule} SET look_at = look_at WHERE name = ?`;

  return async ({ context, names }) =>
    database.writeWithin("lockSchedules", context, (session) => {
      const schedules = names.map((name) => {
        session.run(lock, name);
        const row = session.get<ScheduleRow>(select, name);
        return row === undefined ? undefined : toStateSchedule(row);
      });
      return { now: new Date(session.now()), schedules };
    });
};
