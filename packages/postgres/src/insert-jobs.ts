// New jobs without deduplication keys. They need no lookup and no lock, so one INSERT of the used columns is enough. Most
// jobs have a type and an input only.
import type { CreateJobsParams, NewContinuationJob, NewStateJob } from "queuert/internal";
import { argument, column, storableText } from "./database.ts";
import { scheduledAfterMs, scheduledAtText } from "./new-job-columns.ts";
import type { PgDatabase } from "./state/pg-state.ts";
import type { PgRow } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

/** Stores jobs with these ids, and returns a row of each, in their order. */
export type InsertJobs = (
  ids: readonly string[],
  params: CreateJobsParams<object>,
) => Promise<readonly PgRow[]>;

// Optional parts of a job beside its type and input. Each is a bit, and each set of bits has a statement of its own.
const extra = { schedule: 1, priority: 2, blockers: 4, trace: 8, lineage: 16, place: 32 } as const;

const extrasOf = (job: NewStateJob): number =>
  (job.schedule === null ? 0 : extra.schedule) |
  (job.priority === 0 ? 0 : extra.priority) |
  (job.awaitsBlockers || job.onBlockerFailure !== "wait" ? extra.blockers : 0) |
  (job.traceContext === null ? 0 : extra.trace) |
  (job.rootSequenceId === null && job.originId === null ? 0 : extra.lineage) |
  (job.kind === "entry" ? 0 : extra.place);

type Pick<TValue> = (job: NewStateJob) => TValue | null;

type Source = {
  readonly name: string;
  /** 0: of every job. */
  readonly bit: number;
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

const { schedule, priority, blockers, trace, lineage, place } = extra;

const sources: readonly Source[] = [
  { name: "type_name", bit: 0, type: "text", pick: (job) => job.typeName },
  { name: "input", bit: 0, type: "text", pick: (job) => job.input },
  { name: "at", bit: schedule, type: "timestamptz", pick: (job) => scheduledAtText(job.schedule) },
  {
    name: "after_ms",
    bit: schedule,
    type: "float8",
    pick: (job) => scheduledAfterMs(job.schedule),
  },
  { name: "priority", bit: priority, type: "integer", pick: (job) => job.priority },
  { name: "awaits_blockers", bit: blockers, type: "boolean", pick: (job) => job.awaitsBlockers },
  { name: "on_blocker_failure", bit: blockers, type: "text", pick: (job) => job.onBlockerFailure },
  {
    name: "trace_context",
    bit: trace,
    type: "text",
    pick: (job) => storableText(job.traceContext),
  },
  { name: "root_sequence_id", bit: lineage, type: "id", pick: (job) => job.rootSequenceId },
  { name: "origin_id", bit: lineage, type: "id", pick: (job) => job.originId },
  { name: "sequence_id", bit: place, type: "id", pick: ofContinuation((job) => job.sequenceId) },
  {
    name: "sequence_type_name",
    bit: place,
    type: "text",
    pick: ofContinuation((job) => job.sequenceTypeName),
  },
  {
    name: "sequence_created_at",
    bit: place,
    type: "timestamptz",
    pick: ofContinuation((job) => job.sequenceCreatedAt.toISOString()),
  },
  { name: "position", bit: place, type: "integer", pick: ofContinuation((job) => job.position) },
];

const sourcesOf = (bits: number): readonly Source[] =>
  sources.filter(({ bit }) => (bits & bit) === bit);

// One moment for all jobs of a statement. Nothing here waits, so it is as good as that of the insert.
const now = "pg_catalog.statement_timestamp()";

// Qualified, since this statement runs with the path of the session.
const toUs = (instant: string): string =>
  `(pg_catalog.date_part('epoch', ${instant}) OPERATOR(pg_catalog.*) 1000000)::bigint`;

const valuesOf = (bits: number): Readonly<Record<string, string>> => {
  const given = (bit: number, sql: string, usual: string): string =>
    (bits & bit) === 0 ? usual : sql;
  return {
    id: "u.id",
    type_name: "u.type_name",
    sequence_id: given(place, "coalesce(u.sequence_id, u.id)", "u.id"),
    sequence_type_name: given(place, "coalesce(u.sequence_type_name, u.type_name)", "u.type_name"),
    sequence_created_at: given(place, `coalesce(u.sequence_created_at, ${now})`, now),
    root_sequence_id: given(lineage, "coalesce(u.root_sequence_id, u.id)", "u.id"),
    origin_id: given(lineage, "u.origin_id", "NULL"),
    position: given(place, "coalesce(u.position, 0)", "0"),
    status: given(
      blockers,
      "CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'pending' END",
      "'pending'",
    ),
    input: "u.input",
    priority: given(priority, "u.priority", "0"),
    on_blocker_failure: given(blockers, "u.on_blocker_failure", "'wait'"),
    created_at: now,
    scheduled_at: given(
      schedule,
      `coalesce(u.at, ${now} OPERATOR(pg_catalog.+) (u.after_ms OPERATOR(pg_catalog.*) interval '1 ms'), ${now})`,
      now,
    ),
    trace_context: given(trace, "u.trace_context", "NULL"),
  };
};

/** One job needs no lists, each of which is a function call and a store of rows of its own. */
const fromSql = (names: StoreNames, bits: number, isOne: boolean): string => {
  const given = [{ name: "id", type: "id" }, ...sourcesOf(bits)];
  if (isOne) {
    const fields = given.map(
      ({ name, type }, index) => `${argument(names, index + 1, type)} AS ${name}`,
    );
    return `(SELECT ${fields.join(", ")}) u`;
  }
  const lists = given.map(({ type }, index) => argument(names, index + 1, `${type}[]`));
  const fields = given.map(({ name }) => name);
  // Ordinals are given out in this order.
  // Of several lists it is a word of the grammar, which no schema on the path can redefine.
  return `unnest(${lists.join(", ")}) WITH ORDINALITY AS u (${fields.join(", ")}, element) ORDER BY u.element`;
};

const insertSql = (names: StoreNames, bits: number, isOne: boolean): string => {
  const values = valuesOf(bits);
  // Where it is not that of the creation.
  const hasSchedule = (bits & schedule) !== 0;
  const scheduledAt = `${toUs("j.scheduled_at")} AS scheduled_at_us`;
  const insert =
    `INSERT INTO ${names.schema}.job AS j (${Object.keys(values).join(", ")}) ` +
    `SELECT ${Object.values(values).join(", ")} FROM ${fromSql(names, bits, isOne)} ` +
    `RETURNING j.ordinal${hasSchedule ? `, ${scheduledAt}` : ""}`;
  const createdAt = `${toUs(now)} AS created_at_us`;
  if (isOne) return `${insert}, ${createdAt}`;
  // One row for all, in which they stand as they were inserted: a row of each costs both sides half as much again as this.
  const lists = ["ordinal", ...(hasSchedule ? ["scheduled_at_us"] : [])].map(
    (name) => `pg_catalog.string_agg(c.${name}::pg_catalog.text, ',') AS ${name}`,
  );
  return `WITH created AS (${insert}) SELECT ${lists.join(", ")}, ${createdAt} FROM created c`;
};

/** A row of each, of the one row that many are answered with. */
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

export const createInsertJobs = (db: PgDatabase): InsertJobs => {
  const inserts = new Map<string, ReturnType<PgDatabase["statement"]>>();
  const insert = (bits: number, isOne: boolean): ReturnType<PgDatabase["statement"]> => {
    const name = `insert_${isOne ? "job" : "jobs"}_${bits}`;
    const made = inserts.get(name) ?? db.statement(name, insertSql(db.names, bits, isOne));
    inserts.set(name, made);
    return made;
  };
  return async (ids, { context, jobs }) => {
    let bits = 0;
    for (const job of jobs) bits |= extrasOf(job);
    const [only] = jobs;
    const params =
      only !== undefined && jobs.length === 1
        ? [ids[0] ?? null, ...sourcesOf(bits).map((one) => toValue(db, one, only))]
        : [db.ids(ids), ...sourcesOf(bits).map((one) => toList(db, one, jobs))];
    const isOne = jobs.length === 1;
    const rows = await insert(bits, isOne)(params, context);
    return isOne ? rows : toRows(rows);
  };
};

const toValue = (db: PgDatabase, one: Source, job: NewStateJob): string | null => {
  if (one.type === "id") return db.storableId(one.pick(job));
  const value = one.pick(job);
  return value === null ? null : String(value);
};

const toList = (db: PgDatabase, one: Source, jobs: readonly NewStateJob[]): string =>
  one.type === "id" ? db.storableIds(jobs.map(one.pick)) : column(jobs, one.pick);
