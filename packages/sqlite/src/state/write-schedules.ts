import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

export const writeSchedules = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["writeSchedules"] => {
  const { schedule: table } = database.names;
  const insert = `
INSERT INTO ${table} (look_at, is_declared, definition, name) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO NOTHING`;
  const update = `UPDATE ${table} SET look_at = ?, is_declared = ?, definition = ? WHERE name = ?`;

  return async ({ context, schedules }) =>
    schedules.length === 0
      ? []
      : database.writeWithin("writeSchedules", context, (session) =>
          schedules.map(({ schedule, isNew }) => {
            const { changes } = session.run(
              isNew ? insert : update,
              schedule.lookAt?.getTime() ?? null,
              schedule.isDeclared ? 1 : 0,
              schedule.definition,
              schedule.name,
            );
            return Number(changes) === 1;
          }),
        );
};
