// The first keys in the line of a type, each with the values that decide its turn. One statement reads all of them.
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import type { Line } from "./due-jobs.ts";
import { type KeyRow, type StoredLimitKey, toStoredKey } from "./read-limit-keys.ts";

export interface KeyInLine {
  readonly line: Line;
  readonly stored: StoredLimitKey;
  /** How many jobs of its weight it has started in this turn. */
  readonly used: number;
  /** When the first lease of its running jobs ends or has ended. Infinity: no job of it runs. */
  readonly firstLeaseEnd: number;
}

type Row = readonly [firstLeaseEnd: number | null, used: number, ...key: KeyRow];

export type ReadLine = (
  session: Session,
  of: readonly [typeName: string, limitName: string],
  count: number,
  now: number,
) => readonly KeyInLine[];

export const createReadLine = ({ job, limitKey, limitTurn }: TableNames): ReadLine => {
  const select = `
SELECT (
    SELECT min(leased_until) FROM ${job}
    WHERE status = 'running' AND limit_key IS NOT NULL AND limit_name = place.limit_name AND limit_key = place.key),
  place.used, place.key, own.bounds, own.paused_at, own.paused_until, own.pause_note, own.back_at_us
FROM ${limitTurn} place LEFT JOIN ${limitKey} own ON own.limit_name = place.limit_name AND own.key = place.key
WHERE place.type_name = ? AND place.look_at IS NULL AND place.limit_name = ?
ORDER BY place.turn LIMIT +?`;
  return (session, [typeName, limitName], count, now) =>
    session.all<Row>(select, typeName, limitName, count).map(([end, used, ...row]) => ({
      line: [typeName, limitName, row[0]],
      stored: toStoredKey(row, now),
      used,
      firstLeaseEnd: end ?? Infinity,
    }));
};
