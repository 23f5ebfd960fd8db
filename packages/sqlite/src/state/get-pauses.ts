import type { StateAdapter, StatePause } from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadPauses, everyType } from "../steps/read-pauses.ts";

export const getPauses = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getPauses"] => {
  const readPauses = createReadPauses(database.names);

  return async () =>
    database.read(undefined, (session) =>
      readPauses(session, session.now()).map(([typeName, pausedAt, until, note]): StatePause => ({
        typeName: typeName === everyType ? null : typeName,
        pausedAt: new Date(pausedAt),
        until: until === null ? null : new Date(until),
        note,
      })),
    );
};
