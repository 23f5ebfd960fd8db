// New jobs as array arguments of a routine, and the stored job as it is after the insert.
import {
  type NewEntryJob,
  newStateJob,
  type NewStateJob,
  type ScheduleOptions,
  type StateJob,
} from "queuert/internal";
import { column, type PgDatabase, storableText, toArrayLiteral } from "./database.ts";
import { costOf, queueOf } from "./limit-queue.ts";
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
  | "limitKey"
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
  queues: "text[]",
  start_costs: "integer[]",
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
  on_blocker_failures: column(jobs, (job) =>
    job === null || job.onBlockerFailure === "wait" ? null : job.onBlockerFailure,
  ),
  trace_contexts: column(jobs, (job) => storableText(job?.traceContext ?? null)),
  queues: column(jobs, (job) => (job === null ? null : queueOf(job.typeName, job.limitKey))),
  start_costs: column(jobs, (job) => costOf(job?.limitKey)),
});

/** The other arguments of `create_jobs`, apart from the ids. */
export const createJobsColumnTypes = {
  root_sequence_ids: "id[]",
  origin_ids: "id[]",
  sequence_ids: "id[]",
  sequence_type_names: "text[]",
  sequence_created_at: "timestamptz[]",
  positions: "integer[]",
  keys: "text[]",
  strategies: "text[]",
  windows_ms: "float8[]",
  excluded: "text[]",
  given: "boolean[]",
} as const;

export const createJobsColumns = (
  db: PgDatabase,
  jobs: readonly NewStateJob[],
): Record<keyof typeof newJobColumnTypes | keyof typeof createJobsColumnTypes, string> => {
  const next = jobs.map((job) => (job.kind === "continuation" ? job : null));
  return {
    ...newJobColumns(jobs),
    root_sequence_ids: db.storableIds(jobs.map((job) => job.rootSequenceId)),
    origin_ids: db.storableIds(jobs.map((job) => job.originId)),
    sequence_ids: db.storableIds(next.map((job) => job?.sequenceId ?? null)),
    sequence_type_names: column(next, (job) => job?.sequenceTypeName ?? null),
    sequence_created_at: column(next, (job) => job?.sequenceCreatedAt.toISOString() ?? null),
    positions: column(next, (job) => job?.position ?? null),
    keys: column(jobs, (job) => entryOf(job)?.deduplication?.key ?? null),
    strategies: column(jobs, (job) => entryOf(job)?.deduplication?.strategy ?? null),
    windows_ms: column(jobs, (job) => entryOf(job)?.deduplication?.windowMs ?? null),
    excluded: column(jobs, (job) => {
      const ids = entryOf(job)?.deduplication?.excludeSequenceIds ?? [];
      return ids.length === 0 ? null : toArrayLiteral(ids.map(storableText));
    }),
    given: column(jobs, (job) => hasGivenId(job) || null),
  };
};

export const hasGivenId = (job: NewStateJob): boolean => entryOf(job)?.id !== undefined;

export const entryOf = (job: NewStateJob): NewEntryJob | null =>
  job.kind === "entry" ? job : null;

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
