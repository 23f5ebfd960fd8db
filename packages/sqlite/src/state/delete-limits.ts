import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createLookAgain } from "../steps/wake-keys.ts";

export const deleteLimits = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteLimits"] => {
  const { jobLimit, limitKey } = database.names;
  const find = `SELECT 1 FROM ${jobLimit} WHERE name = ?`;
  const remove = `DELETE FROM ${jobLimit} WHERE name = ?`;
  const removeKeys = `DELETE FROM ${limitKey} WHERE limit_name = ?`;
  // Keys that were full have room now.
  const lookAgain = createLookAgain(database.names);

  return async ({ names }) =>
    names.length === 0
      ? []
      : database.write("deleteLimits", undefined, (session) =>
          names.map((name) => {
            const existed = session.get(find, name) !== undefined;
            session.run(remove, name);
            session.run(removeKeys, name);
            lookAgain(session, name);
            return existed;
          }),
        );
};
