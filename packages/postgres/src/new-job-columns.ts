// New jobs as array arguments of a routine, and the stored job as it is after the insert.
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

/** The arguments that entry and continuation jobs share, with their SQL types. */
export const newJobColumnTypes = {
  type_names: "text[]",
  inputs: "text[]",
  at: "timestamptz[]",
  after_ms: "float8[]",
  priorities: "integer[]",
  awaits_blockers: "boolean[]",
  on_blocker_failures: "text[]",
  trace_contexts: "text[]",
} as const;

export const newJobColumns = (
  jobs: readonly (NewJobFields | null)[],
): Record<keyof typeof newJobColumnTypes, string> => ({
  type_names: column(jobs, (job) => job?.typeName ?? null),
  inputs: column(jobs, (job) => job?.input ?? null),
  at: column(jobs, (job) => scheduledAtText(job?.schedule ?? null)),
  after_ms: column(jobs, (job) => scheduledAfterMs(job?.schedule ?? null)),
  // Zero, false and "wait" are the routine's defaults for NULL: a column of them is not sent.
  priorities: column(jobs, (job) => job?.priority || null),
  awaits_blockers: column(jobs, (job) => job?.awaitsBlockers || null),
  on_blocker_failures: column(jobs, (job) => (job?.onBlockerFailure === "fail" ? "fail" : null)),
  trace_contexts: column(jobs, (job) => storableText(job?.traceContext ?? null)),
});

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
