// New jobs without deduplication keys: no row is searched or waited for. One job is a call of `create_job`, in
// which two INSERTs keep their plans. Many jobs are one statement of two INSERTs, with the usual options or
// all of them. `bench/server-cpu.ts` measures both. One job costs the server 57 µs if prepared and 126 µs if not.
// A statement of two INSERTs needed 46 and 213. By 1,000, a job costs 5.6 µs.
import type { CreateJobsParams, NewContinuationJob, NewStateJob } from "queuert/internal";
import { argument, column, type PgDatabase, storableText } from "./database.ts";
import { scheduledAfterMs, scheduledAtText } from "./new-job-columns.ts";
import type { PgRow } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

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

const usualSources: readonly Source[] = [
  { name: "type_name", type: "text", pick: (job) => job.typeName },
  { name: "input", type: "text", pick: (job) => job.input },
  { name: "trace_context", type: "text", pick: (job) => storableText(job.traceContext) },
  { name: "root_sequence_id", type: "id", pick: (job) => job.rootSequenceId },
  { name: "origin_id", type: "id", pick: (job) => job.originId },
];

// Zero, false and "wait" are the defaults for NULL: a list of them is not sent.
const allSources: readonly Source[] = [
  ...usualSources,
  { name: "at", type: "timestamptz", pick: (job) => scheduledAtText(job.schedule) },
  { name: "after_ms", type: "float8", pick: (job) => scheduledAfterMs(job.schedule) },
  { name: "priority", type: "integer", pick: (job) => job.priority || null },
  { name: "awaits_blockers", type: "boolean", pick: (job) => job.awaitsBlockers || null },
  {
    name: "on_blocker_failure",
    type: "text",
    pick: (job) => (job.onBlockerFailure === "fail" ? "fail" : null),
  },
  { name: "sequence_id", type: "id", pick: ofContinuation((job) => job.sequenceId) },
  { name: "sequence_type_name", type: "text", pick: ofContinuation((job) => job.sequenceTypeName) },
  {
    name: "sequence_created_at",
    type: "timestamptz",
    pick: ofContinuation((job) => job.sequenceCreatedAt.toISOString()),
  },
  { name: "position", type: "integer", pick: ofContinuation((job) => job.position) },
];

const isUsual = (job: NewStateJob): boolean =>
  job.kind === "entry" &&
  job.schedule === null &&
  job.priority === 0 &&
  !job.awaitsBlockers &&
  job.onBlockerFailure === "wait";

// One moment for all jobs of a statement. The statement waits for no lock, so the moment is close.
const now = "pg_catalog.statement_timestamp()";

// Qualified, since this statement runs with the path of the session.
const toUs = (instant: string): string =>
  `(pg_catalog.date_part('epoch', ${instant}) OPERATOR(pg_catalog.*) 1000000)::bigint`;

const usualValues: Readonly<Record<string, string>> = {
  id: "u.id",
  type_name: "u.type_name",
  sequence_id: "u.id",
  sequence_type_name: "u.type_name",
  sequence_created_at: now,
  root_sequence_id: "coalesce(u.root_sequence_id, u.id)",
  origin_id: "u.origin_id",
  position: "0",
  status: "'open'",
  input: "u.input",
  priority: "0",
  on_blocker_failure: "'wait'",
  created_at: now,
  scheduled_at: now,
  trace_context: "u.trace_context",
};

const afterSql = "(u.after_ms OPERATOR(pg_catalog.*) interval '1 ms')";

const allValues: Readonly<Record<string, string>> = {
  ...usualValues,
  sequence_id: "coalesce(u.sequence_id, u.id)",
  sequence_type_name: "coalesce(u.sequence_type_name, u.type_name)",
  sequence_created_at: `coalesce(u.sequence_created_at, ${now})`,
  position: "coalesce(u.position, 0)",
  status: "CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'open' END",
  set_aside: "CASE WHEN u.awaits_blockers THEN 'blocked' END",
  priority: "coalesce(u.priority, 0)",
  on_blocker_failure: "coalesce(u.on_blocker_failure, 'wait')",
  scheduled_at: `coalesce(u.at, ${now} OPERATOR(pg_catalog.+) ${afterSql}, ${now})`,
};

const fromSql = (names: StoreNames, sources: readonly Source[]): string => {
  const given = [{ name: "id", type: "id" }, ...sources];
  const lists = given.map(({ type }, index) => argument(names, index + 1, `${type}[]`));
  const fields = given.map(({ name }) => name);
  // `unnest` of several lists is a word of the grammar, which no schema on the path can redefine.
  const rows = `unnest(${lists.join(", ")}) WITH ORDINALITY AS u (${fields.join(", ")}, element)`;
  return `${rows} ORDER BY u.element`; // Ordinals are assigned in this order.
};

const insertSql = (names: StoreNames, allOptions: boolean): string => {
  const values = allOptions ? allValues : usualValues;
  const sources = allOptions ? allSources : usualSources;
  const created =
    `WITH created AS (` +
    `INSERT INTO ${names.schema}.job AS j (${Object.keys(values).join(", ")}) ` +
    `SELECT ${Object.values(values).join(", ")} FROM ${fromSql(names, sources)} ` +
    `RETURNING j.id, j.type_name, j.priority, j.scheduled_at, j.ordinal, j.status), ` +
    // The rows that make the jobs pending.
    `made_ready AS (` +
    `INSERT INTO ${names.schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due) ` +
    `SELECT c.id, c.type_name, c.priority, c.scheduled_at, c.ordinal, ` +
    (allOptions
      ? `c.scheduled_at OPERATOR(pg_catalog.<=) ${now} FROM created c ` +
        `WHERE c.status OPERATOR(pg_catalog.=) 'open')`
      : `true FROM created c)`);
  const createdAt = `${toUs(now)} AS created_at_us`;
  const scheduledAtUs = toUs("c.scheduled_at");
  // One row for all jobs, in the order of the insert: a row for each costs both sides half as much
  // again.
  const listOf = (value: string, name: string): string =>
    `pg_catalog.string_agg(${value}::pg_catalog.text, ',') AS ${name}`;
  const ordinals = listOf("c.ordinal", "ordinal");
  const scheduledAt = allOptions ? `, ${listOf(scheduledAtUs, "scheduled_at_us")}` : "";
  return `${created} SELECT ${ordinals}${scheduledAt}, ${createdAt} FROM created c`;
};

/** A row for each job, from the one row that many jobs return. */
const toRows = ([row]: readonly PgRow[]): readonly PgRow[] => {
  if (row === undefined) return [];
  const created_at_us = Number(row["created_at_us"]);
  const scheduled = row["scheduled_at_us"] === undefined ? null : list(row["scheduled_at_us"]);
  return list(row["ordinal"]).map((ordinal, index) => ({
    ordinal,
    created_at_us,
    scheduled_at_us: scheduled?.[index],
  }));
};

const list = (value: unknown): readonly string[] => String(value).split(",");

/** The statements that `insertJobs` uses. */
export const prepareInserts = (db: PgDatabase): InsertStatements => ({
  usual: {
    sources: usualSources,
    one: db.routine("create_job", argTypes(usualSources)),
    many: db.statement("insert_jobs", insertSql(db.names, false)),
  },
  all: {
    sources: allSources,
    one: db.routine("create_job", argTypes(allSources), {
      name: "create_job_with_options",
      toSql: {},
    }),
    many: db.statement("insert_jobs_with_options", insertSql(db.names, true)),
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
    const [ordinal, created_at_us, scheduled_at_us] = String(row?.["create_job"]).split(" ");
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
