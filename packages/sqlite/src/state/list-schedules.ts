import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { allOf, isOneOf } from "../list-conditions.ts";
import { scheduleColumns, type ScheduleRow, toStateSchedule } from "../schedule-row.ts";

export const listSchedules = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["listSchedules"] => {
  const select = `SELECT ${scheduleColumns} FROM ${database.names.schedule}`;

  return async ({ context, names, isDeclared, afterName, limit }) => {
    if (limit <= 0) return [];
    const { where, parameters } = allOf([
      isOneOf("name", names),
      // A constant, for the partial index of declared schedules.
      isDeclared === null ? null : [`is_declared = ${isDeclared ? 1 : 0}`],
      afterName === null ? null : ["name > ?", afterName],
    ]);
    const sql = `${select} WHERE ${where} ORDER BY name LIMIT +?`;
    return database.read(context, (session) =>
      session.all<ScheduleRow>(sql, ...parameters, limit).map(toStateSchedule),
    );
  };
};
