// Stores new jobs, of starts and continuations. Every field of a new job is known here, so no row is read back.
import {
  type CreatedStateJob,
  type JobLimitKey,
  newStateJob,
  type NewStateJob,
  type StateJob,
} from "queuert/internal";
import type { SqliteStatement } from "../connection.ts";
import { isDuplicate } from "../driver-errors.ts";
import { dueAt } from "../instants.ts";
import { SqliteDuplicateIdError } from "../errors.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import { createFindDeduplicated } from "./deduplicate.ts";

const insertSql = ({ job }: TableNames): string => `
INSERT INTO ${job} (
  ordinal, id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id, origin_id, position,
  status, priority, scheduled_at, created_at, on_blocker_failure, deduplication_key, deduplication_open,
  trace_context, limit_name, limit_key, limit_cost, input
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** For root jobs without options, as most jobs are. Columns that are not named are NULL, and every given value costs. */
const insertRootSql = ({ job }: TableNames): string => `
INSERT INTO ${job} (
  ordinal, id, type_name, position, status, priority, scheduled_at, created_at, on_blocker_failure, input
) VALUES (?, ?, ?, 0, 'pending', ?, ?, ?, 'wait', ?)`;

/** A key with a new pending job is looked at. Migration 0009 has the same statement for jobs that become pending later. */
const enterLineSql = ({ limitTurn, limitTurnLast }: TableNames): string => `
INSERT INTO ${limitTurn} (limit_name, key, type_name, look_at, turn)
VALUES (?, ?, ?, ?, (SELECT 1 + coalesce(max(last), 0) FROM ${limitTurnLast}))
ON CONFLICT DO UPDATE SET look_at = min(look_at, excluded.look_at)`;

/** Begins the inserts of one step. No other insert may run between them. */
export type BeginInserts = (session: Session, now: number) => (job: NewStateJob) => CreatedStateJob;

export const createBeginInserts = (names: TableNames, nextId: () => string): BeginInserts => {
  const insert = insertSql(names);
  const insertRoot = insertRootSql(names);
  const enterLine = enterLineSql(names);
  const lastOrdinal = `
SELECT max((SELECT last FROM ${names.ordinal}), (SELECT coalesce(max(ordinal), 0) FROM ${names.job}))`;
  const lastOrdinalOf = (session: Session): number => {
    const [last] = session.get<[number]>(lastOrdinal) ?? [0];
    return last;
  };
  const findDeduplicated = createFindDeduplicated(names);
  const byId = `SELECT ${jobColumns()} FROM ${names.job} WHERE id = ?`;
  /** The job that a start finds by its id or by its key. */
  const find = (session: Session, job: NewStateJob, now: number): StateJob | undefined => {
    if (job.kind !== "entry") return undefined;
    const { id, deduplication, typeName } = job;
    if (id !== undefined) {
      const row = session.get<JobRow>(byId, id);
      return row && toStateJob(row);
    }
    return deduplication === null
      ? undefined
      : findDeduplicated(session, typeName, deduplication, now);
  };

  return (session, now) => {
    let ordinal: number | undefined;
    const statements = { any: session.prepare(insert), root: session.prepare(insertRoot) };
    return (job) => {
      const found = find(session, job, now);
      if (found !== undefined) return { job: found, deduplicated: true };
      ordinal = (ordinal ?? lastOrdinalOf(session)) + 1;
      const id = (job.kind === "entry" ? job.id : undefined) ?? nextId();
      const stored = toStored(job, id, ordinal, now);
      const { limitKey = null } = job;
      run(statements, stored, stored.deduplicationKey === null ? 0 : 1, limitKey);
      if (limitKey !== null && stored.status === "pending") {
        const { limitName, key } = limitKey;
        const { typeName, scheduledAt } = stored;
        session.run(enterLine, limitName, key, typeName, scheduledAt.getTime());
      }
      return { job: stored, deduplicated: false };
    };
  };
};

const isPlainRoot = (job: StateJob): boolean =>
  job.position === 0 &&
  job.status === "pending" &&
  job.onBlockerFailure === "wait" &&
  job.rootSequenceId === job.id &&
  job.originId === null &&
  job.deduplicationKey === null &&
  job.traceContext === null;

const run = (
  statements: Readonly<Record<"any" | "root", SqliteStatement>>,
  job: StateJob,
  deduplicationOpen: number,
  limitKey: JobLimitKey | null,
): void => {
  try {
    if (limitKey === null && isPlainRoot(job)) runRoot(statements.root, job);
    else runAny(statements.any, job, deduplicationOpen, limitKey);
  } catch (error) {
    throw isDuplicate(error) ? new SqliteDuplicateIdError(job.id, { cause: error }) : error;
  }
};

const runRoot = (insert: SqliteStatement, job: StateJob): void => {
  insert.run(
    job.ordinal,
    job.id,
    job.typeName,
    job.priority,
    job.scheduledAt.getTime(),
    job.createdAt.getTime(),
    job.input,
  );
};

const runAny = (
  insert: SqliteStatement,
  job: StateJob,
  deduplicationOpen: number,
  limitKey: JobLimitKey | null,
): void => {
  const isFirst = job.position === 0;
  insert.run(
    job.ordinal,
    job.id,
    job.typeName,
    isFirst ? null : job.sequenceId,
    isFirst ? null : job.sequenceTypeName,
    isFirst ? null : job.sequenceCreatedAt.getTime(),
    job.rootSequenceId === job.id ? null : job.rootSequenceId,
    job.originId,
    job.position,
    job.status,
    job.priority,
    job.scheduledAt.getTime(),
    job.createdAt.getTime(),
    job.onBlockerFailure,
    job.deduplicationKey,
    deduplicationOpen,
    job.traceContext,
    limitKey?.limitName ?? null,
    limitKey?.key ?? null,
    limitKey?.cost ?? null,
    job.input,
  );
};

const toStored = (job: NewStateJob, id: string, ordinal: number, now: number): StateJob => {
  const createdAt = new Date(now);
  const due = dueAt(job.schedule, now);
  return newStateJob(job, {
    id,
    ordinal,
    createdAt,
    scheduledAt: due === now ? createdAt : new Date(due),
    sequenceCreatedAt: job.kind === "entry" ? createdAt : job.sequenceCreatedAt,
  });
};
