// From when the jobs of a type can be acquired as a batch. Each priority has one probe of the index of due jobs, which holds all
// columns that are read here.
import type { AcquireJobsParams, BatchCondition } from "queuert/internal";
import type { SqliteValue } from "../connection.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import type { DueJobs, Line } from "./due-jobs.ts";

type AcquiredType = AcquireJobsParams["types"][number];

type DueRow = readonly [scheduledAt: number, releasedAt: number | null];

/** Infinity: there is no job. 0 for a type without the condition. */
export type BatchAt = (session: Session, type: AcquiredType, now: number) => number;

/** Of the jobs without a key. Those under keys are acquired by turns, at any number, or each key in batches of its own. */
export const createBatchAt = (names: TableNames, due: DueJobs): BatchAt => {
  const batchAt = createBatchOfLineAt(names, due, "plain");
  return (session, { typeName, batch }, now) =>
    batch === undefined ? 0 : batchAt(session, [typeName], batch, now);
};

type BatchOfLineAt = (session: Session, line: Line, batch: BatchCondition, now: number) => number;

const linesOf = {
  plain: {
    due: "limit_key IS NULL AND type_name = ?",
    expired: "limit_key IS NULL AND type_name = ?",
  },
  key: {
    due: "limit_key IS NOT NULL AND type_name = ? AND limit_name = ? AND limit_key = ?",
    // In the order of the line's values, for an index that begins with the limit.
    expired: "limit_key IS NOT NULL AND +type_name = ? AND limit_name = ? AND limit_key = ?",
  },
} as const;

/** Of a type without its jobs under keys, or of one key. */
export const createBatchOfLineAt = (
  { job }: TableNames,
  due: DueJobs,
  kind: keyof typeof linesOf,
): BatchOfLineAt => {
  const first = `
SELECT scheduled_at, released_at FROM ${job}
WHERE status = 'pending' AND ${linesOf[kind].due} AND priority = ? ORDER BY scheduled_at, ordinal LIMIT +?`;
  const expired = `
SELECT scheduled_at, released_at FROM ${job}
WHERE status = 'running' AND ${linesOf[kind].expired} AND leased_until <= ? LIMIT +?`;

  return (session, line, { minSize, maxWaitMs }, now) => {
    const values = line as readonly SqliteValue[];
    const rows = [...session.all<DueRow>(expired, ...values, now, minSize)];
    due.eachPriority(session, line, (priority) => {
      rows.push(...session.all<DueRow>(first, ...values, priority, minSize));
      return false;
    });
    const times = rows.map(([scheduledAt]) => scheduledAt).sort((left, right) => left - right);
    const since = rows.map(([scheduledAt, releasedAt]) => Math.max(scheduledAt, releasedAt ?? 0));
    return Math.min(times[minSize - 1] ?? Infinity, Math.min(...since) + maxWaitMs);
  };
};
