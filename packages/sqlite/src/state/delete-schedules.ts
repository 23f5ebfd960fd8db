import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

export const deleteSchedules = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteSchedules"] => {
  const { schedule, scheduleTick } = database.names;
  const removeTicks = `DELETE FROM ${scheduleTick} WHERE schedule_name = ?`;
  const remove = `DELETE FROM ${schedule} WHERE name = ?`;

  return async ({ context, names }) =>
    names.length === 0
      ? []
      : database.writeWithin("deleteSchedules", context, (session) =>
          names.map((name) => {
            session.run(removeTicks, name);
            return Number(session.run(remove, name).changes) === 1;
          }),
        );
};
