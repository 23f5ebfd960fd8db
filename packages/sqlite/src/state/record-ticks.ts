import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

export const recordTicks = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["recordTicks"] => {
  const record = `
INSERT INTO ${database.names.scheduleTick}
  (schedule_name, tick_at, is_manual, kind, outcome, sequence_id, fired_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (schedule_name, tick_at, is_manual) DO UPDATE
SET kind = excluded.kind, outcome = excluded.outcome,
  sequence_id = excluded.sequence_id, fired_at = excluded.fired_at
WHERE outcome IN ('missed', 'buffered')`;

  return async ({ context, ticks }) =>
    ticks.length === 0
      ? []
      : database.writeWithin("recordTicks", context, (session) =>
          ticks.map((tick) => {
            const { changes } = session.run(
              record,
              tick.scheduleName,
              tick.tickAt.getTime(),
              tick.kind === "manual" ? 1 : 0,
              tick.kind,
              tick.outcome,
              tick.sequenceId,
              tick.firedAt.getTime(),
            );
            return Number(changes) === 1;
          }),
        );
};
