// A job that was just acquired, as the routine sends it. No stream of rows is wider, and each column costs on both sides.
// Numbers therefore come in one text, and rare fields in another. Fields that the caller knows are not sent.
import type { OnBlockerFailure, StateJob } from "queuert/internal";
import { toNullableText, toText } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

/** A job as it was acquired, with the microseconds that a Date would round. */
export interface AcquiredRow {
  readonly job: StateJob;
  readonly scheduledAtUs: number;
  readonly reclaimedFrom: string | null;
}

/** The fields that all jobs of a type share in one acquisition. */
export interface Lease {
  readonly typeName: string;
  readonly workerId: string;
  readonly takenAt: Date;
  readonly leasedUntil: Date;
}

/** `facts` begins with a number in the row of a job, and with a word in any other. */
export const isJobRow = (facts: string): boolean => facts.charCodeAt(0) <= lastDigit;

const lastDigit = "9".charCodeAt(0);

/** `leases`: of the types asked for, in their order. */
export const toAcquiredRow = (row: PgRow, facts: string, leases: readonly Lease[]): AcquiredRow => {
  const [type, ordinal, createdUs, attempt, leaseVersion, position, sequenceUs] = facts.split(" ");
  // The routine answers with jobs of the types asked for.
  const lease = leases[Number(type) - 1] as Lease;
  const id = String(row["id"]);
  const rest = row["rest"] === null ? usual : (JSON.parse(String(row["rest"])) as Rest);
  const scheduledAtUs = rest.scheduled_at_us ?? Number(createdUs);
  const createdAt = new Date(Number(createdUs) / 1_000);
  const job: StateJob = {
    id,
    typeName: lease.typeName,
    sequenceId: position === undefined ? id : String(row["sequence_id"]),
    sequenceTypeName: position === undefined ? lease.typeName : toText(row["sequence_type_name"]),
    sequenceCreatedAt: sequenceUs === undefined ? createdAt : new Date(Number(sequenceUs) / 1_000),
    rootSequenceId: String(row["root_sequence_id"] ?? id),
    originId: toNullableText(row["origin_id"]),
    position: position === undefined ? 0 : Number(position),
    ordinal: Number(ordinal),
    status: "running",
    input: toText(row["input"]),
    output: null,
    continuedToId: null,
    priority: rest.priority ?? 0,
    onBlockerFailure: rest.on_blocker_failure ?? "wait",
    deduplicationKey: rest.deduplication_key ?? null,
    createdAt,
    scheduledAt: rest.scheduled_at_us ? new Date(scheduledAtUs / 1_000) : createdAt,
    attempt: Number(attempt),
    lastAttemptAt: lease.takenAt,
    lastAttemptError: rest.last_attempt_error ?? null,
    leaseVersion: Number(leaseVersion),
    leasedBy: lease.workerId,
    leasedUntil: lease.leasedUntil,
    finishedAt: null,
    completedBy: null,
    traceContext: toNullableText(row["trace_context"]),
  };
  return { job, scheduledAtUs, reclaimedFrom: rest.reclaimed_from ?? null };
};

interface Rest {
  readonly priority?: number | null;
  readonly scheduled_at_us?: number | null;
  readonly on_blocker_failure?: OnBlockerFailure | null;
  readonly deduplication_key?: string | null;
  readonly last_attempt_error?: string | null;
  readonly reclaimed_from?: string | null;
}

const usual: Rest = {};
