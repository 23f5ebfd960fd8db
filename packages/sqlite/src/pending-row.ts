// A pending job as its acquisition reads it. Every column that is read costs, and most pending jobs are roots that nothing
// has happened to: of those only what differs is read. What there is to say of others comes as one array of JSON.
import type { OnBlockerFailure } from "queuert/internal";
import type { OwnJobRow } from "./job-row.ts";

const restColumns = `sequence_id, sequence_type_name, sequence_created_at, root_sequence_id, origin_id, position,
  on_blocker_failure, deduplication_key, attempt, last_attempt_at, last_attempt_error, lease_version, trace_context,
  blocker_count`;

/** In the order of `PendingRow`. What is not in here, a pending job does not have. */
export const pendingColumns: string = `ordinal, id, input, created_at, scheduled_at,
  CASE WHEN position = 0 AND attempt = 0 AND lease_version = 0 AND blocker_count = 0 AND on_blocker_failure = 'wait'
    AND coalesce(root_sequence_id, origin_id, deduplication_key, last_attempt_at, last_attempt_error, trace_context) IS NULL
    THEN NULL ELSE json_array(${restColumns}) END`;

export type PendingRow = readonly [
  ordinal: number,
  id: string,
  input: string,
  createdAt: number,
  scheduledAt: number,
  rest: string | null,
];

type Rest = readonly [
  sequenceId: string | null,
  sequenceTypeName: string | null,
  sequenceCreatedAt: number | null,
  rootSequenceId: string | null,
  originId: string | null,
  position: number,
  onBlockerFailure: OnBlockerFailure,
  deduplicationKey: string | null,
  attempt: number,
  lastAttemptAt: number | null,
  lastAttemptError: string | null,
  leaseVersion: number,
  traceContext: string | null,
  blockerCount: number,
];

const untouchedRoot: Rest = [
  null,
  null,
  null,
  null,
  null,
  0,
  "wait",
  null,
  0,
  null,
  null,
  0,
  null,
  0,
];

/** The whole row: by its type and priority it was looked for. */
export const toWholeRow = (row: PendingRow, typeName: string, priority: number): OwnJobRow => {
  // The array that the statement has made.
  const rest = row[5] === null ? untouchedRoot : (JSON.parse(row[5]) as Rest);
  return [
    row[1],
    typeName,
    rest[0],
    rest[1],
    rest[2],
    rest[3],
    rest[4],
    rest[5],
    row[0],
    "pending",
    row[2],
    null,
    null,
    priority,
    rest[6],
    rest[7],
    row[3],
    row[4],
    rest[8],
    rest[9],
    rest[10],
    rest[11],
    null,
    null,
    null,
    null,
    rest[12],
    rest[13],
  ];
};
