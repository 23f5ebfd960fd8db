// Stores new jobs, of starts and continuations. Every field of a new job is known here, so no row is read back.
import {
  type CreatedStateJob,
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
import { createFindDeduplicated } from "./deduplicate.ts";

const insertSql = ({ job }: TableNames): string => `
INSERT INTO ${job} (
  ordinal, id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id, origin_id, position,
  status, priority, scheduled_at, created_at, on_blocker_failure, deduplication_key, deduplication_open,
  trace_context, input
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** For root jobs without options, as most jobs are. Columns that are not named are NULL, and every given value costs. */
const insertRootSql = ({ job }: TableNames): string => `
INSERT INTO ${job} (
  ordinal, id, type_name, position, status, priority, scheduled_at, created_at, on_blocker_failure, input
) VALUES (?, ?, ?, 0, 'pending', ?, ?, ?, 'wait', ?)`;

/** Begins the inserts of one step. No other insert may run between them. */
export type BeginInserts = (session: Session, now: number) => (job: NewStateJob) => CreatedStateJob;

export const createBeginInserts = (names: TableNames, nextId: () => string): BeginInserts => {
  const insert = insertSql(names);
  const insertRoot = insertRootSql(names);
  const lastOrdinal = `
SELECT max((SELECT last FROM ${names.ordinal}), (SELECT coalesce(max(ordinal), 0) FROM ${names.job}))`;
  const lastOrdinalOf = (session: Session): number => {
    const [last] = session.get<[number]>(lastOrdinal) ?? [0];
    return last;
  };
  const findDeduplicated = createFindDeduplicated(names);

  return (session, now) => {
    let ordinal: number | undefined;
    const statements = { any: session.prepare(insert), root: session.prepare(insertRoot) };
    return (job) => {
      const deduplication = job.kind === "entry" ? job.deduplication : null;
      if (deduplication !== null) {
        const found = findDeduplicated(session, job.typeName, deduplication, now);
        if (found !== undefined) return { job: found, deduplicated: true };
      }
      ordinal = (ordinal ?? lastOrdinalOf(session)) + 1;
      const stored = toStored(job, nextId(), ordinal, now);
      run(statements, stored, deduplication === null ? 0 : 1);
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
): void => {
  try {
    if (isPlainRoot(job)) runRoot(statements.root, job);
    else runAny(statements.any, job, deduplicationOpen);
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

const runAny = (insert: SqliteStatement, job: StateJob, deduplicationOpen: number): void => {
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
