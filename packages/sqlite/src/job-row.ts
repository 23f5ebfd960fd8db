// The columns of a job: the only file that knows their names, their order and their meaning.
import {
  type JobRecord,
  type NewEntryJob,
  newStateJob,
  type StateJob,
  type StateJobReference,
} from "queuert/internal";

/** The place of each column in a row. A column has the name of its field, in snake case. */
const at = {
  id: 0,
  typeName: 1,
  sequenceId: 2,
  sequenceTypeName: 3,
  sequenceCreatedAt: 4,
  rootSequenceId: 5,
  originId: 6,
  position: 7,
  ordinal: 8,
  status: 9,
  input: 10,
  output: 11,
  continuedToId: 12,
  priority: 13,
  onBlockerFailure: 14,
  deduplicationKey: 15,
  createdAt: 16,
  scheduledAt: 17,
  attempt: 18,
  lastAttemptAt: 19,
  lastAttemptError: 20,
  leaseVersion: 21,
  leasedBy: 22,
  leasedUntil: 23,
  finishedAt: 24,
  completedBy: 25,
  traceContext: 26,
  blockerCount: 27,
  blockedUntil: 28,
} as const;

type At = typeof at;

/** NULL in the first job of a sequence; `rootSequenceId` is NULL in the first job of a root. */
type SameAsJob = "sequenceId" | "sequenceTypeName" | "sequenceCreatedAt" | "rootSequenceId";

type Fields = Omit<JobRecord<number>, SameAsJob> & {
  readonly [TField in SameAsJob]: JobRecord<number>[TField] | null;
} & {
  /** How many sequences the job waits or waited for. */
  readonly blockerCount: number;
};

/** One row, as an array: drivers make arrays in half of the time of objects. */
export type JobRow = readonly unknown[] & {
  readonly [TField in keyof At as At[TField]]: Fields[TField];
};

const columns: readonly string[] = Object.keys(at).map((field) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

/** The select list of `JobRow`. */
export const jobColumns = (alias?: string): string =>
  columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(", ");

/** How many columns a job takes, for statements that select further columns behind them. */
export const jobColumnCount: number = columns.length;

export const blockerCountOf = (row: JobRow): number => row[at.blockerCount];

/** A record that its maker may still change. */
export type OwnStateJob = { -readonly [TField in keyof StateJob]: StateJob[TField] };

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export const toStateJob = (row: JobRow): OwnStateJob => {
  // Dates are large: equal instants of one record are one object.
  const createdAt = new Date(row[at.createdAt]);
  const sequenceCreatedAt = row[at.sequenceCreatedAt];
  const scheduledAt = row[at.scheduledAt];
  return {
    id: row[at.id],
    typeName: row[at.typeName],
    sequenceId: row[at.sequenceId] ?? row[at.id],
    sequenceTypeName: row[at.sequenceTypeName] ?? row[at.typeName],
    sequenceCreatedAt: sequenceCreatedAt === null ? createdAt : new Date(sequenceCreatedAt),
    rootSequenceId: row[at.rootSequenceId] ?? row[at.id],
    originId: row[at.originId],
    position: row[at.position],
    ordinal: row[at.ordinal],
    status: row[at.status],
    input: row[at.input],
    output: row[at.output],
    continuedToId: row[at.continuedToId],
    priority: row[at.priority],
    onBlockerFailure: row[at.onBlockerFailure],
    deduplicationKey: row[at.deduplicationKey],
    createdAt,
    scheduledAt: scheduledAt === row[at.createdAt] ? createdAt : new Date(scheduledAt),
    blockedUntil: row[at.status] === "blocked" ? toDate(row[at.blockedUntil]) : null,
    attempt: row[at.attempt],
    lastAttemptAt: toDate(row[at.lastAttemptAt]),
    lastAttemptError: row[at.lastAttemptError],
    leaseVersion: row[at.leaseVersion],
    leasedBy: row[at.leasedBy],
    leasedUntil: toDate(row[at.leasedUntil]),
    finishedAt: toDate(row[at.finishedAt]),
    completedBy: row[at.completedBy],
    traceContext: row[at.traceContext],
  };
};

// A pending job, as an acquisition reads it. Every column costs, even if it is NULL: 28 columns take 2.1 us a job, five
// take 0.75 us. Most pending jobs are new root jobs, whose other columns are those of every new root job. Any other job
// comes as JSON of its whole row, which takes 1.75 us.
const isNewRoot = `position = 0 AND attempt = 0 AND lease_version = 0 AND blocker_count = 0
  AND on_blocker_failure = 'wait' AND coalesce(root_sequence_id, origin_id, deduplication_key, last_attempt_at,
    last_attempt_error, trace_context) IS NULL`;

// The input is a column of its own, because it may be large.
const rowWithoutInput = columns.map((column) => (column === "input" ? "NULL" : column)).join(", ");

/** The select list of `PendingRow`. */
export const pendingColumns: string = `ordinal, id, input, created_at, scheduled_at,
  CASE WHEN ${isNewRoot} THEN NULL ELSE json_array(${rowWithoutInput}) END`;

export type PendingRow = readonly [
  ordinal: number,
  id: string,
  input: string,
  createdAt: number,
  scheduledAt: number,
  json: string | null,
  // Columns that a statement selects behind these.
  ...further: unknown[],
];

export interface PendingJob {
  readonly job: OwnStateJob;
  readonly blockerCount: number;
}

/** The statement has selected one type and one priority. */
export const toPendingJob = (
  [ordinal, id, input, createdAtMs, scheduledAtMs, json]: PendingRow,
  typeName: string,
  priority: number,
): PendingJob => {
  if (json !== null) {
    // The array that the statement has made.
    const row = JSON.parse(json) as JobRow;
    const job = toStateJob(row);
    job.input = input;
    return { job, blockerCount: blockerCountOf(row) };
  }
  const createdAt = new Date(createdAtMs);
  const scheduledAt = scheduledAtMs === createdAtMs ? createdAt : new Date(scheduledAtMs);
  const place = { id, ordinal, createdAt, scheduledAt, sequenceCreatedAt: createdAt };
  return { job: newStateJob(newRoot(typeName, input, priority), place), blockerCount: 0 };
};

const newRoot = (typeName: string, input: string, priority: number): NewEntryJob => ({
  kind: "entry",
  typeName,
  input,
  schedule: null,
  priority,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
});

/** The id of the sequence of a job, in a statement. */
export const sequenceIdOf = (alias: string): string =>
  `coalesce(${alias}.sequence_id, ${alias}.id)`;

/** The id of the root of a job's tree, in a statement. */
export const rootSequenceIdOf = (alias: string): string =>
  `coalesce(${alias}.root_sequence_id, ${alias}.id)`;

/** The select list of `JobReferenceRow`. */
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

export const toStateJobReference = ([
  id,
  typeName,
  sequenceId,
  sequenceTypeName,
  rootSequenceId,
  originId,
]: JobReferenceRow): StateJobReference => ({
  id,
  typeName,
  sequenceId: sequenceId ?? id,
  sequenceTypeName: sequenceTypeName ?? typeName,
  rootSequenceId: rootSequenceId ?? id,
  originId,
});
