import { actionsKeptMs, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const beginAction = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["beginAction"]> => {
  const { action } = database.names;
  const insert = `
INSERT INTO ${action} (id, action, user, filter, count, started_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING`;
  const forget = `DELETE FROM ${action} WHERE started_at < ?`;
  return ({ id, action: name, user, filter, count }) =>
    database.write("beginAction", undefined, (session) => {
      const now = session.now();
      session.run(forget, now - actionsKeptMs);
      return Number(session.run(insert, id, name, user, filter, count, now).changes) === 1;
    });
};
