import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../instants.ts";
import { everyType } from "../steps/read-pauses.ts";
import { createLookAgain } from "../steps/wake-keys.ts";

export const pause = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["pause"] => {
  const write = `
INSERT INTO ${database.names.pause} (type_name, paused_at, paused_until, note) VALUES (?, ?, ?, ?)
ON CONFLICT (type_name) DO UPDATE SET
  paused_at = excluded.paused_at, paused_until = excluded.paused_until, note = excluded.note
WHERE NOT ? OR ifnull(paused_until, 9e15) < ifnull(excluded.paused_until, 9e15)`;
  // A shorter pause than before.
  const lookAgain = createLookAgain(database.names);

  return async ({ targets, forMs, note, extends: isExtension = false }) => {
    if (targets.length === 0) return;
    await database.write("pause", undefined, (session) => {
      const now = session.now();
      const until = forMs === null ? null : toInstant(now + forMs);
      for (const { typeName } of targets) {
        const extendsOnly = isExtension ? 1 : 0;
        session.run(write, typeName ?? everyType, now, until, note, extendsOnly);
        if (typeName !== null) lookAgain(session, typeName);
      }
    });
  };
};
