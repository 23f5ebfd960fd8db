import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../instants.ts";
import { everyType } from "../steps/read-pauses.ts";

export const pause = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["pause"] => {
  const write = `
INSERT INTO ${database.names.pause} (type_name, paused_at, paused_until, note) VALUES (?, ?, ?, ?)
ON CONFLICT (type_name) DO UPDATE SET
  paused_at = excluded.paused_at, paused_until = excluded.paused_until, note = excluded.note`;

  return async ({ targets, forMs, note }) => {
    if (targets.length === 0) return;
    await database.write("pause", undefined, (session) => {
      const now = session.now();
      const until = forMs === null ? null : toInstant(now + forMs);
      for (const { typeName } of targets) {
        session.run(write, typeName ?? everyType, now, until, note);
      }
    });
  };
};
