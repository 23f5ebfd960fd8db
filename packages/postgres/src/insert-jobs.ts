// New jobs without deduplication keys: no row is searched or waited for. One job is a call of `create_usual_job` or
// `create_job`, in which two INSERTs keep their plans. Many jobs are one statement of two INSERTs, with the usual options or
// all of them. `bench/server-cpu.ts` measures both. One job costs the server 42 µs if prepared.
// A statement of two INSERTs needs 34, and 90 more than the call if not prepared. By 1,000, a job costs 5.6 µs.
import type { CreateJobsParams, NewContinuationJob, NewStateJob } from "queuert/internal";
import { column, type PgDatabase, storableText } from "./database.ts";
import { insertSql, toRows } from "./insert-many.ts";
import { costOf, queueOf } from "./limit-queue.ts";
import { scheduledAfterMs, scheduledAtText } from "./new-job-columns.ts";
import type { PgRow } from "./state-provider.ts";

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

type Pick<TValue> = (job: NewStateJob) => TValue | null;

/** An argument: a list for many jobs, a value for one. */
type Source = {
  readonly name: string;
} & (
  | { readonly type: "id"; readonly pick: Pick<string> }
  | {
      readonly type: "text" | "integer" | "boolean" | "float8" | "timestamptz";
      readonly pick: Pick<string | number | boolean>;
    }
);

const ofContinuation =
  <TValue>(pick: (job: NewContinuationJob) => TValue): Pick<TValue> =>
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
