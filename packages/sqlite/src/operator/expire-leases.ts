// The running jobs are few: their partial index is read as a whole.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const expireLeases = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["expireLeases"]> => {
  const expire = `
UPDATE ${database.names.job} SET leased_until = ?
WHERE status = 'running' AND leased_by = ? AND last_attempt_at < ? AND leased_until > ?`;
  return ({ workerId, acquiredBefore }) =>
    database.write("expireLeases", undefined, (session) => {
      const now = session.now();
      return Number(session.run(expire, now, workerId, acquiredBefore.getTime(), now).changes);
    });
};
