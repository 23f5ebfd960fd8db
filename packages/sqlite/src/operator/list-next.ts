// The index of pending jobs without a key is in the order of acquisition.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const listNext = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listNext"]> => {
  const { job } = database.names;
  const first = `
SELECT id, scheduled_at FROM ${job} WHERE status = 'pending' AND limit_key IS NULL AND type_name = ?
ORDER BY priority DESC, scheduled_at, ordinal LIMIT +?`;

  return ({ typeName, limit, examineMax }) =>
    database.read(undefined, (session) => {
      const now = session.now();
      const pending = session.all<[id: string, scheduledAt: number]>(first, typeName, examineMax);
      const due = pending.filter(([, scheduledAt]) => scheduledAt <= now);
      return {
        ids: due.slice(0, limit).map(([id]) => id),
        isCut: due.length < limit && pending.length >= examineMax,
      };
    });
};
