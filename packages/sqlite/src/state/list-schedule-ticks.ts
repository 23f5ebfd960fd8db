import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { allOf } from "../list-conditions.ts";
import { tickColumns, type TickRow, toStateTick } from "../schedule-row.ts";

export const listScheduleTicks = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["listScheduleTicks"] => {
  const select = `SELECT ${tickColumns} FROM ${database.names.scheduleTick}`;

  return async ({ context, scheduleName, from, to, after, order, limit }) => {
    if (limit <= 0) return [];
    const [direction, comparison] = order === "asc" ? ["ASC", ">"] : ["DESC", "<"];
    const { where, parameters } = allOf([
      ["schedule_name = ?", scheduleName],
      from === null ? null : ["tick_at >= ?", from.getTime()],
      to === null ? null : ["tick_at < ?", to.getTime()],
      after === null
        ? null
        : [
            `(tick_at, is_manual) ${comparison} (?, ?)`,
            after.tickAt.getTime(),
            after.isManual ? 1 : 0,
          ],
    ]);
    const sql = `${select} WHERE ${where} ORDER BY tick_at ${direction}, is_manual ${direction} LIMIT +?`;
    return database.read(context, (session) =>
      session.all<TickRow>(sql, ...parameters, limit).map(toStateTick),
    );
  };
};
