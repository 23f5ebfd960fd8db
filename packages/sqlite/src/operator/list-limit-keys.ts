// A key whose jobs wait or run has a row in the table of turns. Both tables are read in the order of their primary keys.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const listLimitKeys = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listLimitKeys"]> => {
  const { limitKey, limitTurn } = database.names;
  const list = `
SELECT key FROM ${limitKey} WHERE limit_name = ? AND key >= ?
UNION
SELECT key FROM ${limitTurn} WHERE limit_name = ? AND key >= ?
ORDER BY key LIMIT +?`;
  return async ({ limitName, fromKey, limit }) => {
    const begin = [limitName, fromKey ?? ""];
    return database.read(undefined, (session) =>
      session.all<readonly [string]>(list, ...begin, ...begin, limit).map(([key]) => key),
    );
  };
};
