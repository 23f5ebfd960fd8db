import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadPauses, everyType } from "../steps/read-pauses.ts";
import { createLookAgain } from "../steps/wake-keys.ts";

export const resume = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["resume"] => {
  const remove = `DELETE FROM ${database.names.pause} WHERE type_name = ?`;
  const readPauses = createReadPauses(database.names);
  const lookAgain = createLookAgain(database.names);

  return async ({ targets }) =>
    targets.length === 0
      ? []
      : database.write("resume", undefined, (session) => {
          const paused = new Set(readPauses(session, session.now()).map(([typeName]) => typeName));
          return targets.map(({ typeName }) => {
            session.run(remove, typeName ?? everyType);
            if (typeName !== null) lookAgain(session, typeName);
            return paused.has(typeName ?? everyType);
          });
        });
};
