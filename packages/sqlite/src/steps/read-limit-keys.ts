// Keys of limits, as an acquisition and an operator read them.
import { boundsOfKey, type StateKeyBounds } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import type { StoredLimit } from "./read-limits.ts";

export interface StoredLimitKey {
  readonly key: string;
  /** Of its own; null: none. */
  readonly bounds: StateKeyBounds | null;
  /** That has not ended; null: it is not paused. `until` null: until it is resumed. */
  readonly pause: {
    readonly at: number;
    readonly until: number | null;
    readonly note: string | null;
  } | null;
  readonly backAtUs: number | null;
}

export type KeyRow = readonly [
  key: string,
  bounds: string | null,
  pausedAt: number | null,
  pausedUntil: number | null,
  pauseNote: string | null,
  backAtUs: number | null,
];

export interface LimitKeyReads {
  one(session: Session, limitName: string, key: string, now: number): StoredLimitKey;
  all(session: Session, limitName: string, now: number): readonly StoredLimitKey[];
  /** How many jobs of a key hold an unexpired lease. */
  permits(session: Session, limitName: string, key: string, now: number): number;
}

export const createLimitKeyReads = ({ job, limitKey }: TableNames): LimitKeyReads => {
  const select = `
SELECT key, bounds, paused_at, paused_until, pause_note, back_at_us FROM ${limitKey} WHERE limit_name = ?`;
  const selectOne = `${select} AND key = ?`;
  const count = `
SELECT count(*) FROM ${job}
WHERE status = 'running' AND limit_key IS NOT NULL AND limit_name = ? AND limit_key = ? AND leased_until > ?`;
  return {
    one: (session, limitName, key, now) => {
      const row = session.get<KeyRow>(selectOne, limitName, key);
      return row === undefined
        ? { key, bounds: null, pause: null, backAtUs: null }
        : toStoredKey(row, now);
    },
    all: (session, limitName, now) =>
      session.all<KeyRow>(select, limitName).map((row) => toStoredKey(row, now)),
    permits: (session, limitName, key, now) =>
      session.get<[number]>(count, limitName, key, now)?.[0] ?? 0,
  };
};

export const toStoredKey = (row: KeyRow, now: number): StoredLimitKey => {
  const [key, bounds, at, until, note, backAtUs] = row;
  const isPaused = at !== null && (until === null || until > now);
  return {
    key,
    bounds: bounds === null ? null : (JSON.parse(bounds) as StateKeyBounds),
    pause: isPaused ? { at, until, note } : null,
    backAtUs,
  };
};

/** The bounds that hold for a key. */
export const effectiveBounds = (
  limit: StoredLimit | undefined,
  { bounds }: StoredLimitKey,
): StateKeyBounds => boundsOfKey(limit?.perKey, bounds);
