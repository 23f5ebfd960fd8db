// Step 2 of the walk: jobs are stored, all or none, in one round trip.
// Ids are made here unless the store has an `idDefault`; the routine gives out ordinals and finds duplicates.
import type { CreatedStateJob, NewEntryJob, NewStateJob } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import { rowToStateJob, toStateJob } from "../job-row.ts";
import { insertJobs, prepareInserts } from "../insert-jobs.ts";
import { newJobColumns, newJobColumnTypes, toCreatedJob } from "../new-job-columns.ts";
import type { PgRow } from "../state-provider.ts";
import { blameIdDefault, idMaker } from "./make-ids.ts";

const argTypes = {
  ids: "id[]",
  ...newJobColumnTypes,
  root_sequence_ids: "id[]",
  origin_ids: "id[]",
  sequence_ids: "id[]",
  sequence_type_names: "text[]",
  sequence_created_at: "timestamptz[]",
  positions: "integer[]",
  keys: "text[]",
  strategies: "text[]",
  windows_ms: "float8[]",
} as const;

export const createJobs = (db: PgDatabase, generateId: () => string): PgState["createJobs"] => {
  const create = db.routine("create_jobs", argTypes);
  const createWithIds = db.idDefault === null ? null : withIdDefault(db);
  const inserts = prepareInserts(db);
  const makeIds = idMaker(db, generateId);
  const lookUp = createdBefore(db);
  // A retry after a lost answer calls again with the same array: it must find the jobs that the first try stored.
  const idsByJobs = new WeakMap<readonly NewStateJob[], readonly string[]>();

  return async (params) => {
    const { context, jobs } = params;
    if (jobs.length === 0) return [];
    const earlierIds = idsByJobs.get(jobs);
    if (earlierIds !== undefined) {
      const stored = await lookUp(earlierIds);
      if (stored !== null) return stored;
    }
    if (context !== undefined && createWithIds !== null) {
      const args = { ids: String(jobs.length), ...columns(db, jobs) };
      const rows = await createWithIds(args, context).catch(blameIdDefault(db));
      return toCreated(jobs, [], rows);
    }
    const ids = earlierIds ?? (await makeIds(jobs.length));
    // Alone it may be repeated after a lost answer; in a transaction of the caller's it is lost with that.
    if (context === undefined) idsByJobs.set(jobs, ids);
    const hasKeys = jobs.some((job) => job.kind === "entry" && job.deduplication !== null);
    const rows = hasKeys
      ? await create({ ids: db.ids(ids), ...columns(db, jobs) }, context)
      : await insertJobs(db, inserts, ids, params);
    return toCreated(jobs, ids, rows);
  };
};

/** The server makes the ids, in the same statement. */
const withIdDefault = (db: PgDatabase) =>
  db.routine(
    "create_jobs",
    { ...argTypes, ids: "integer" },
    {
      name: "create_jobs_with_ids",
      toSql: {
        ids: (count) =>
          `(SELECT pg_catalog.array_agg(m.id) FROM (SELECT (${db.idDefault})::${db.names.idType} AS id ` +
          `FROM pg_catalog.generate_series(1, ${count})) m)`,
      },
    },
  );

const entryOf = (job: NewStateJob): NewEntryJob | null => (job.kind === "entry" ? job : null);

const columns = (
  db: PgDatabase,
  jobs: readonly NewStateJob[],
): Record<Exclude<keyof typeof argTypes, "ids">, string> => {
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
  };
};

const toCreated = (
  jobs: readonly NewStateJob[],
  ids: readonly string[],
  rows: readonly PgRow[],
): readonly CreatedStateJob[] => {
  const duplicates = new Map<number, PgRow>();
  const created: PgRow[] = [];
  for (const row of rows) {
    // Rows of an insert have no such column.
    if (row["duplicate_of"] === null || row["duplicate_of"] === undefined) created.push(row);
    else duplicates.set(Number(row["duplicate_element"]) - 1, row);
  }
  let next = 0;
  return jobs.map((job, index) => {
    const duplicate = duplicates.get(index);
    if (duplicate !== undefined)
      return { job: toStateJob(duplicate["duplicate_of"]), deduplicated: true };
    const row = created[next++];
    if (row === undefined) throw new Error("create_jobs answered with too few rows");
    return { job: toCreatedJob(job, ids[index] ?? String(row["id"]), row), deduplicated: false };
  });
};

/** The jobs that an earlier try with these ids has stored, or null if none: the ids are new, so any match is its own. */
const createdBefore = (
  db: PgDatabase,
): ((ids: readonly string[]) => Promise<readonly CreatedStateJob[] | null>) => {
  const find = db.jobRoutine("get_jobs", { ids: "id[]" }, ["element"]);
  return async (ids) => {
    const rows = await find({ ids: db.ids(ids) });
    // Elements without a row were deduplicated: a second call finds the same sequence, and is rare enough.
    if (rows.length < ids.length) return null;
    const jobs = new Map(rows.map((row) => [Number(row["element"]), rowToStateJob(row)]));
    return ids.map((_, index) => {
      const job = jobs.get(index + 1);
      if (job === undefined) throw new Error("get_jobs returned an element twice");
      return { job, deduplicated: false };
    });
  };
};
