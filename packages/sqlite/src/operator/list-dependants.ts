import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const listDependants = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listDependants"]> => {
  const select = `
SELECT DISTINCT job_id FROM ${database.names.blocker}
WHERE blocker_sequence_id = ? AND job_id > ? ORDER BY job_id LIMIT +?`;
  return ({ sequenceId, afterId, limit }) =>
    database.read(undefined, (session) =>
      session.all<[string]>(select, sequenceId, afterId ?? "", limit).map(([id]) => id),
    );
};
