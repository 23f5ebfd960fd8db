import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const finishAction = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["finishAction"]> => {
  const update = `UPDATE ${database.names.action} SET finished_at = ?, done = ?, refused = ? WHERE id = ?`;
  return ({ id, done, refused }) =>
    database.write("finishAction", undefined, (session) => {
      session.run(update, session.now(), done, refused, id);
    });
};
