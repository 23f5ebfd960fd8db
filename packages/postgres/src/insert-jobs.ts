// New jobs without deduplication keys: no row is searched or waited for. One job is a call of `create_usual_job` or
// `create_job`, in which two INSERTs keep their plans. Many jobs are one statement of two INSERTs, with the usual options or
// all of them. `bench/server-cpu.ts` measures both. One job costs the server 42 µs if prepared.
// A statement of two INSERTs needs 34, and 90 more than the call if not prepared. By 1,000, a job costs 5.6 µs.
import {
  type CreateJobsParams,
  type NewContinuationJob,
  type NewEntryJob,
  type NewStateJob,
  newStateJob,
  type ScheduleOptions,
  type StateJob,
} from "queuert/internal";
import { column, type PgDatabase, storableText, toArrayLiteral } from "./database.ts";
import { insertSql, toRows } from "./insert-many.ts";
import { costOf, queueOf } from "./limit-queue.ts";
import type { PgRow } from "./state-provider.ts";
import { toDate } from "./job-row.ts";

type Call = (
  args: Readonly<Record<string, string | null>>,
  context?: object,
) => Promise<readonly PgRow[]>;

interface InsertStatement {
  readonly sources: readonly Source[];
  readonly one: Call;
  readonly many: ReturnType<PgDatabase["statement"]>;
}

type InsertStatements = Readonly<Record<"usual" | "all", InsertStatement>>;

/** The statements that `insertJobs` uses. */
export const prepareInserts = (db: PgDatabase): InsertStatements => ({
  usual: {
    sources: usualSources,
    one: db.routine("create_usual_job", argTypes(usualSources)),
    many: db.statement("insert_jobs", insertSql(db.names, usualSources, false)),
  },
  all: {
    sources: allSources,
    one: db.routine("create_job", argTypes(allSources), {
      name: "create_job_with_options",
      toSql: {},
    }),
    many: db.statement("insert_jobs_with_options", insertSql(db.names, allSources, true)),
  },
});

const argTypes = (sources: readonly Source[]): Readonly<Record<string, string>> =>
  Object.fromEntries([["id", "id"], ...sources.map(({ name, type }) => [name, type])]);

/** Stores jobs with these ids, and returns a row for each, in their order. */
export const insertJobs = async (
  db: PgDatabase,
  statements: InsertStatements,
  ids: readonly string[],
  { context, jobs }: CreateJobsParams<object>,
): Promise<readonly PgRow[]> => {
  const { sources, one, many } = jobs.every(isUsual) ? statements.usual : statements.all;
  const [only] = jobs;
  if (only !== undefined && jobs.length === 1) {
    const args: Record<string, string | null> = { id: ids[0] ?? null };
    for (const source of sources) args[source.name] = toValue(db, source, only);
    const [row] = await one(args, context);
    // By name: a driver may change how rows are built, and only named columns are read back.
    const facts = row?.["create_usual_job"] ?? row?.["create_job"];
    const [ordinal, created_at_us, scheduled_at_us] = String(facts).split(" ");
    return [{ ordinal, created_at_us, scheduled_at_us }];
  }
  const lists = sources.map((source) => toList(db, source, jobs));
  return toRows(await many([db.ids(ids), ...lists], context));
};

const toValue = (db: PgDatabase, one: Source, job: NewStateJob): string | null => {
  if (one.type === "id") return db.storableId(one.pick(job));
  const value = one.pick(job);
  return value === null ? null : String(value);
};

const toList = (db: PgDatabase, one: Source, jobs: readonly NewStateJob[]): string =>
  one.type === "id" ? db.storableIds(jobs.map(one.pick)) : column(jobs, one.pick);

type PickValue<TValue> = (job: NewStateJob) => TValue | null;

/** An argument: a list for many jobs, a value for one. */
type Source = {
  readonly name: string;
} & (
  | { readonly type: "id"; readonly pick: PickValue<string> }
  | {
      readonly type: "text" | "integer" | "boolean" | "float8" | "timestamptz";
      readonly pick: PickValue<string | number | boolean>;
    }
);

const ofContinuation =
  <TValue>(pick: (job: NewContinuationJob) => TValue): PickValue<TValue> =>
  (job) =>
    job.kind === "continuation" ? pick(job) : null;

/** Those of a job with the usual options. */
const usualSources: readonly Source[] = [
  { name: "type_name", type: "text", pick: (job) => job.typeName },
  { name: "input", type: "text", pick: (job) => job.input },
  { name: "trace_context", type: "text", pick: (job) => storableText(job.traceContext) },
  { name: "root_sequence_id", type: "id", pick: (job) => job.rootSequenceId },
  { name: "origin_id", type: "id", pick: (job) => job.originId },
];

/** All of them. Zero, false and "wait" are the defaults for NULL: a list of them is not sent. */
const allSources: readonly Source[] = [
  ...usualSources,
  { name: "at", type: "timestamptz", pick: (job) => scheduledAtText(job.schedule) },
  { name: "after_ms", type: "float8", pick: (job) => scheduledAfterMs(job.schedule) },
  { name: "priority", type: "integer", pick: (job) => job.priority || null },
  { name: "awaits_blockers", type: "boolean", pick: (job) => job.awaitsBlockers || null },
  {
    name: "on_blocker_failure",
    type: "text",
    pick: (job) => (job.onBlockerFailure === "wait" ? null : job.onBlockerFailure),
  },
  { name: "sequence_id", type: "id", pick: ofContinuation((job) => job.sequenceId) },
  { name: "sequence_type_name", type: "text", pick: ofContinuation((job) => job.sequenceTypeName) },
  {
    name: "sequence_created_at",
    type: "timestamptz",
    pick: ofContinuation((job) => job.sequenceCreatedAt.toISOString()),
  },
  { name: "position", type: "integer", pick: ofContinuation((job) => job.position) },
  { name: "queue", type: "text", pick: (job) => queueOf(job.typeName, job.limitKey) },
  { name: "start_cost", type: "integer", pick: (job) => costOf(job.limitKey) },
];

/** Whether it has the usual options. */
const isUsual = (job: NewStateJob): boolean =>
  job.kind === "entry" &&
  job.schedule === null &&
  job.priority === 0 &&
  !job.awaitsBlockers &&
  (job.limitKey ?? null) === null &&
  job.onBlockerFailure === "wait";

// New jobs as array arguments of a routine, and the stored job as it is after the insert.

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
