// New jobs as columns of array arguments, and the stored job as it is after the insert.
import {
  newStateJob,
  type NewStateJob,
  type ScheduleOptions,
  type StateJob,
} from "queuert/internal";
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

/** A job that has just been stored: the row has the values that the store chose. */
export const toCreatedJob = (job: NewStateJob, id: string, row: PgRow): StateJob => {
  const createdAt = toDate(row["created_at_us"]);
  return newStateJob(job, {
    id,
    ordinal: Number(row["ordinal"]),
    createdAt,
    scheduledAt: toDate(row["scheduled_at_us"] ?? row["created_at_us"]),
    sequenceCreatedAt: job.kind === "entry" ? createdAt : job.sequenceCreatedAt,
  });
};
