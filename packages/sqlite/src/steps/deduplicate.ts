// Deduplication keys. `deduplication_open` is 1 in the first job of a sequence with a key while the sequence is unfinished, and
// -1 in that of a cancelled one.
import type { StateDeduplication, StateJob } from "queuert/internal";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/**
 * Finds the first job of the newest sequence that matches a key. There is one writer, so no other transaction can insert
 * the key between this search and the insert that follows it.
 */
export const createFindDeduplicated = (
  names: TableNames,
): ((
  session: Session,
  typeName: string,
  deduplication: StateDeduplication,
  now: number,
) => StateJob | undefined) => {
  const select = (condition: string): string => `
SELECT ${jobColumns()} FROM ${names.job}
WHERE type_name = ? AND deduplication_key = ? AND ${condition} AND created_at >= ?
ORDER BY ordinal DESC LIMIT +?`;
  const unfinished = select("deduplication_open = 1");
  const waiting = select(
    "deduplication_open = 1 AND status IN ('pending', 'blocked') AND attempt = 0",
  );
  const any = select("deduplication_key IS NOT NULL AND deduplication_open >= 0");

  const statements = { all: any, completed: unfinished, pending: waiting };

  return (session, typeName, { key, strategy, windowMs, excludeSequenceIds = [] }, now) => {
    const createdFrom = windowMs === null ? Number.MIN_SAFE_INTEGER : Math.floor(now - windowMs);
    const rows = session.all<JobRow>(
      statements[strategy],
      typeName,
      key,
      Math.max(createdFrom, Number.MIN_SAFE_INTEGER),
      // As many may be left out.
      1 + excludeSequenceIds.length,
    );
    return rows.map((row) => toStateJob(row)).find(({ id }) => !excludeSequenceIds.includes(id));
  };
};

export interface FreeDeduplicationKey {
  /** Whether any unfinished sequence has a key. */
  readonly isNeeded: (session: Session) => boolean;
  readonly free: (session: Session, sequenceId: string) => void;
  /** For a cancelled sequence: it matches under no strategy any more. */
  readonly giveUp: (session: Session, sequenceId: string) => void;
}

/** Frees the key of a sequence that has finished. It still matches under the strategy `"all"`. */
export const createFreeDeduplicationKey = ({ job }: TableNames): FreeDeduplicationKey => {
  const any = `SELECT 1 FROM ${job} WHERE deduplication_open = 1 LIMIT 1`;
  const free = `UPDATE ${job} SET deduplication_open = 0 WHERE id = ? AND deduplication_open = 1`;
  const giveUp = `UPDATE ${job} SET deduplication_open = -1 WHERE id = ? AND deduplication_key IS NOT NULL`;
  return {
    isNeeded: (session) => session.get(any) !== undefined,
    free: (session, sequenceId) => {
      session.run(free, sequenceId);
    },
    giveUp: (session, sequenceId) => {
      session.run(giveUp, sequenceId);
    },
  };
};
