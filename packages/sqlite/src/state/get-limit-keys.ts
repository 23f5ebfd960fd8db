import { type LimitKeyStore, type StateLimitKeyState, tokensAt } from "queuert/internal";
import type { Database } from "../database.ts";
import { createLimitKeyReads, effectiveBounds } from "../steps/read-limit-keys.ts";
import { createReadLimits } from "../steps/read-limits.ts";

export const getLimitKeys = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): LimitKeyStore["getLimitKeys"] => {
  const { job, limitTurn } = database.names;
  const reads = createLimitKeyReads(database.names);
  const readLimits = createReadLimits(database.names);
  const pending = `
SELECT count(*) FROM ${limitTurn} turn
JOIN ${job} job ON job.status = 'pending' AND job.limit_key IS NOT NULL
  AND job.type_name = turn.type_name AND job.limit_name = turn.limit_name AND job.limit_key = turn.key
WHERE turn.limit_name = ? AND turn.key = ?`;

  return async ({ limitName, keys }) =>
    database.read(undefined, (session) => {
      const now = session.now();
      const [limit] = readLimits(session, { name: limitName });
      const known =
        keys === null
          ? reads
              .all(session, limitName, now)
              .filter(({ bounds, pause }) => bounds !== null || pause !== null)
          : [...new Set(keys)].map((key) => reads.one(session, limitName, key, now));
      return known
        .toSorted((left, right) => (left.key < right.key ? -1 : 1))
        .map((stored): StateLimitKeyState => {
          const { key, bounds, pause, backAtUs } = stored;
          const { concurrency, rate } = effectiveBounds(limit, stored);
          return {
            ...{ limitName, key, bounds, effective: { concurrency, rate } },
            pause: pause && {
              until: pause.until === null ? null : new Date(pause.until),
              note: pause.note,
            },
            running: reads.permits(session, limitName, key, now),
            pending: session.get<[number]>(pending, limitName, key)?.[0] ?? 0,
            tokens: rate === null ? null : tokensAt(rate, backAtUs, now * 1_000),
          };
        });
    });
};
