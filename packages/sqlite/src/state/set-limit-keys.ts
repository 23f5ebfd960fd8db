import type { LimitKeyPause, LimitKeyStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../instants.ts";
import { createLimitKeyReads, type StoredLimitKey } from "../steps/read-limit-keys.ts";

export const setLimitKeys = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): LimitKeyStore["setLimitKeys"] => {
  const { limitKey, limitTurn } = database.names;
  const reads = createLimitKeyReads(database.names);
  const write = `
INSERT INTO ${limitKey} (limit_name, key, bounds, paused_at, paused_until, pause_note) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  bounds = excluded.bounds, paused_at = excluded.paused_at, paused_until = excluded.paused_until,
  pause_note = excluded.pause_note`;
  // The key may have room now.
  const lookAgain = `
UPDATE ${limitTurn} SET look_at = NULL, kept_back = 0 WHERE limit_name = ? AND key = ?`;

  return async ({ keys }) =>
    keys.length === 0
      ? []
      : database.write("setLimitKeys", undefined, (session) => {
          const now = session.now();
          return keys.map(({ limitName, key, bounds, pause }) => {
            const stored = reads.one(session, limitName, key, now);
            const nextBounds = bounds === undefined ? stored.bounds : bounds;
            const next = pause === undefined ? stored.pause : nextPause(pause, stored.pause, now);
            session.run(
              write,
              ...[limitName, key, nextBounds === null ? null : JSON.stringify(nextBounds)],
              ...[next?.at ?? null, next?.until ?? null, next?.note ?? null],
            );
            session.run(lookAgain, limitName, key);
            return stored.pause !== null;
          });
        });
};

const nextPause = (
  pause: LimitKeyPause | null,
  before: StoredLimitKey["pause"],
  now: number,
): StoredLimitKey["pause"] => {
  if (pause === null) return null;
  const until = pause.forMs === null ? null : toInstant(now + pause.forMs);
  const isEarlier = before !== null && (until ?? Infinity) <= (before.until ?? Infinity);
  return pause.extends && isEarlier ? before : { at: now, until, note: pause.note };
};
