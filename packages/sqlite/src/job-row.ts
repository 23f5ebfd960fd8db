// The columns of a job, once: the only place where snake_case becomes camelCase.
import type { JobStatus, OnBlockerFailure, StateJob, StateJobReference } from "queuert/internal";

/** The sequence a job belongs to, in a statement: NULL stands for its own id, of a job that starts one. */
export const sequenceIdOf = (alias: string): string =>
  `coalesce(${alias}.sequence_id, ${alias}.id)`;

/** The root of the tree a job belongs to; NULL likewise. */
export const rootSequenceIdOf = (alias: string): string =>
  `coalesce(${alias}.root_sequence_id, ${alias}.id)`;

/** In the order of `JobRow`; a prefix is put before each for joins. */
export const jobColumns = (alias?: string): string =>
  columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(", ");

const columns = [
  "id",
  "type_name",
  "sequence_id",
  "sequence_type_name",
  "sequence_created_at",
  "root_sequence_id",
  "origin_id",
  "position",
  "ordinal",
  "status",
  "input",
  "output",
  "continued_to_id",
  "priority",
  "on_blocker_failure",
  "deduplication_key",
  "created_at",
  "scheduled_at",
  "attempt",
  "last_attempt_at",
  "last_attempt_error",
  "lease_version",
  "leased_by",
  "leased_until",
  "finished_at",
  "completed_by",
  "trace_context",
  "blocker_count",
] as const;

/** How many columns a job takes, for statements that select something behind them. */
export const jobColumnCount: number = columns.length;

export type JobRow = readonly [
  id: string,
  typeName: string,
  sequenceId: string | null,
  sequenceTypeName: string | null,
  sequenceCreatedAt: number | null,
  rootSequenceId: string | null,
  originId: string | null,
  position: number,
  ordinal: number,
  status: JobStatus,
  input: string,
  output: string | null,
  continuedToId: string | null,
  priority: number,
  onBlockerFailure: OnBlockerFailure,
  deduplicationKey: string | null,
  createdAt: number,
  scheduledAt: number,
  attempt: number,
  lastAttemptAt: number | null,
  lastAttemptError: string | null,
  leaseVersion: number,
  leasedBy: string | null,
  leasedUntil: number | null,
  finishedAt: number | null,
  completedBy: string | null,
  traceContext: string | null,
  blockerCount: number,
];

/** A row whose maker gives it away. */
export type OwnJobRow = { -readonly [TKey in keyof JobRow]: JobRow[TKey] };

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export const toStateJob = (row: JobRow): StateJob => {
  // Dates are large: those of one record that say the same are one, which hurts nobody but its holder.
  const createdAt = new Date(row[16]);
  return {
    id: row[0],
    typeName: row[1],
    sequenceId: row[2] ?? row[0],
    sequenceTypeName: row[3] ?? row[1],
    sequenceCreatedAt: row[4] === null ? createdAt : new Date(row[4]),
    rootSequenceId: row[5] ?? row[0],
    originId: row[6],
    position: row[7],
    ordinal: row[8],
    status: row[9],
    input: row[10],
    output: row[11],
    continuedToId: row[12],
    priority: row[13],
    onBlockerFailure: row[14],
    deduplicationKey: row[15],
    createdAt,
    scheduledAt: row[17] === row[16] ? createdAt : new Date(row[17]),
    attempt: row[18],
    lastAttemptAt: toDate(row[19]),
    lastAttemptError: row[20],
    leaseVersion: row[21],
    leasedBy: row[22],
    leasedUntil: toDate(row[23]),
    finishedAt: toDate(row[24]),
    completedBy: row[25],
    traceContext: row[26],
  };
};

/** How many sequences the job waits or waited for. */
export const blockerCountOf = (row: JobRow): number => row[27];

/** The columns of `JobReferenceRow`. */
export const referenceColumns = (alias: string): string =>
  ["id", "type_name", "sequence_id", "sequence_type_name", "root_sequence_id", "origin_id"]
    .map((column) => `${alias}.${column}`)
    .join(", ");

export type JobReferenceRow = readonly [
  id: string,
  typeName: string,
  sequenceId: string | null,
  sequenceTypeName: string | null,
  rootSequenceId: string | null,
  originId: string | null,
];

export const toStateJobReference = (
  row: readonly [...JobReferenceRow, ...unknown[]],
): StateJobReference => ({
  id: row[0],
  typeName: row[1],
  sequenceId: row[2] ?? row[0],
  sequenceTypeName: row[3] ?? row[1],
  rootSequenceId: row[4] ?? row[0],
  originId: row[5],
});
