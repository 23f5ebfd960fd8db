import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toTimerMs } from "../instants.ts";

export const nextScheduleInMs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["nextScheduleInMs"] => {
  const earliest = `
SELECT look_at FROM ${database.names.schedule} WHERE look_at IS NOT NULL ORDER BY look_at LIMIT 1`;

  return async () =>
    database.read(undefined, (session) => {
      const row = session.get<[lookAt: number | bigint]>(earliest);
      return row === undefined ? null : toTimerMs(Number(row[0]) - session.now());
    });
};
