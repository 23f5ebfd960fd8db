import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

export const deleteScheduleTicks = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteScheduleTicks"] => {
  const { scheduleTick } = database.names;
  const remove = `
DELETE FROM ${scheduleTick} WHERE (schedule_name, tick_at, is_manual) IN (
  SELECT schedule_name, tick_at, is_manual FROM ${scheduleTick}
  WHERE fired_at < ? ORDER BY fired_at LIMIT +?)`;

  return async ({ firedForMs, limit }) =>
    limit <= 0
      ? 0
      : database.write("deleteScheduleTicks", undefined, (session) =>
          Number(session.run(remove, Math.round(session.now() - firedForMs), limit).changes),
        );
};
