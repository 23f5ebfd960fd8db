// New jobs as columns of array arguments, and the stored job as it is after the insert.
import type { NewStateJob, ScheduleOptions, StateJob } from "queuert/internal";
import { column, storableText } from "./database.ts";
import { toDate } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

type NewJobFields = Pick<
  NewStateJob,
  | "typeName"
  | "input"
  | "schedule"
  | "priority"
  | "awaitsBlockers"
  | "onBlockerFailure"
  | "traceContext"
>;

export const scheduledAtText = (schedule: ScheduleOptions | null): string | null =>
  schedule?.at === undefined ? null : schedule.at.toISOString();

export const scheduledAfterMs = (schedule: ScheduleOptions | null): number | null =>
  schedule?.afterMs ?? null;

/** Type names, inputs, times, delays, priorities, and so on: what entry and continuation jobs share, in call order. */
export const newJobColumns = (jobs: readonly (NewJobFields | null)[]): readonly string[] => [
  column(jobs, (job) => job?.typeName ?? null),
  column(jobs, (job) => job?.input ?? null),
  column(jobs, (job) => scheduledAtText(job?.schedule ?? null)),
  column(jobs, (job) => scheduledAfterMs(job?.schedule ?? null)),
  // Zero, false and "wait" are what the routine takes for nothing: a column of them is not sent.
  column(jobs, (job) => job?.priority || null),
  column(jobs, (job) => job?.awaitsBlockers || null),
  column(jobs, (job) => (job?.onBlockerFailure === "fail" ? "fail" : null)),
  column(jobs, (job) => storableText(job?.traceContext ?? null)),
];

export const newJobColumnTypes: readonly string[] = [
  "text[]",
  "text[]",
  "timestamptz[]",
  "float8[]",
  "integer[]",
  "boolean[]",
  "text[]",
  "text[]",
];

/** A job that has just been stored: the row brings what the store decided, the rest is what was asked for. */
export const toCreatedJob = (job: NewStateJob, id: string, row: PgRow): StateJob => {
  const createdAt = toDate(row["created_at_us"]);
  const place = job.kind === "entry" ? entryPlace(job, id, createdAt) : continuationPlace(job);
  return {
    id,
    typeName: job.typeName,
    ...place,
    originId: job.originId,
    ordinal: Number(row["ordinal"]),
    status: job.awaitsBlockers ? "blocked" : "pending",
    input: job.input,
    output: null,
    continuedToId: null,
    priority: job.priority,
    onBlockerFailure: job.onBlockerFailure,
    createdAt,
    scheduledAt: toDate(row["scheduled_at_us"] ?? row["created_at_us"]),
    attempt: 0,
    lastAttemptAt: null,
    lastAttemptError: null,
    leaseVersion: 0,
    leasedBy: null,
    leasedUntil: null,
    finishedAt: null,
    completedBy: null,
    traceContext: job.traceContext,
  };
};

type Place = Pick<
  StateJob,
  | "sequenceId"
  | "sequenceTypeName"
  | "sequenceCreatedAt"
  | "rootSequenceId"
  | "position"
  | "deduplicationKey"
>;

const entryPlace = (
  job: Extract<NewStateJob, { kind: "entry" }>,
  id: string,
  createdAt: Date,
): Place => ({
  sequenceId: id,
  sequenceTypeName: job.typeName,
  sequenceCreatedAt: createdAt,
  rootSequenceId: job.rootSequenceId ?? id,
  position: 0,
  deduplicationKey: job.deduplication?.key ?? null,
});

const continuationPlace = (job: Extract<NewStateJob, { kind: "continuation" }>): Place => ({
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  sequenceCreatedAt: job.sequenceCreatedAt,
  rootSequenceId: job.rootSequenceId,
  position: job.position,
  deduplicationKey: null,
});
