// Step 2 of the walk: jobs are stored, all or none, in one round trip.
// Ids are made here unless the store has an `idDefault`; the routine gives out ordinals and finds duplicates.
import type { CreatedStateJob, NewEntryJob, NewStateJob } from "queuert/internal";
import { argument, column } from "../database.ts";
import { toStateJob } from "../job-row.ts";
import { createInsertJobs } from "../insert-jobs.ts";
import { newJobColumns, newJobColumnTypes, toCreatedJob } from "../new-job-columns.ts";
import type { PgRow } from "../state-provider.ts";
import { blameIdDefault, idMaker } from "./make-ids.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

const placeTypes = ["id[]", "id[]", "id[]", "text[]", "timestamptz[]", "integer[]"];
const deduplicationTypes = ["text[]", "text[]", "float8[]"];

export const createJobs = (db: PgDatabase, generateId: () => string): PgState["createJobs"] => {
  const types = ["id[]", ...newJobColumnTypes, ...placeTypes, ...deduplicationTypes];
  const create = db.routine("create_jobs", types);
  const createWithIds = db.idDefault === null ? null : withIdDefault(db, types);
  const insert = createInsertJobs(db);
  const makeIds = idMaker(db, generateId);
  const lookUp = createdBefore(db);
  // A retry after a lost answer calls again with the same array: it must find what the first try stored.
  const idsByJobs = new WeakMap<readonly NewStateJob[], readonly string[]>();

  return async (params) => {
    const { context, jobs } = params;
    if (jobs.length === 0) return [];
    const earlierIds = idsByJobs.get(jobs);
    if (earlierIds !== undefined) {
      const stored = await lookUp(earlierIds, jobs);
      if (stored !== null) return stored;
    }
    if (context !== undefined && createWithIds !== null) {
      const args = [String(jobs.length), ...columns(db, jobs)];
      const rows = await createWithIds(args, context).catch(blameIdDefault(db));
      return toCreated(jobs, [], rows);
    }
    const ids = earlierIds ?? (await makeIds(jobs.length));
    // Alone it may be repeated after a lost answer; in a transaction of the caller's it is lost with that.
    if (context === undefined) idsByJobs.set(jobs, ids);
    const hasKeys = jobs.some((job) => job.kind === "entry" && job.deduplication !== null);
    const rows = hasKeys
      ? await create([db.ids(ids), ...columns(db, jobs)], context)
      : await insert(ids, params);
    return toCreated(jobs, ids, rows);
  };
};

/** Ids made by the server, in the same statement. */
const withIdDefault = (
  db: PgDatabase,
  types: readonly string[],
): ReturnType<PgDatabase["routine"]> => {
  const args = types.slice(1).map((type, index) => argument(db.names, index + 2, type));
  return db.statement(
    "create_jobs_with_ids",
    `SELECT * FROM ${db.names.schema}.create_jobs((SELECT array_agg(m.id) FROM (` +
      `SELECT (${db.idDefault})::${db.names.idType} AS id ` +
      `FROM generate_series(1, $1::text::integer)) m), ${args.join(", ")})`,
  );
};

const entryOf = (job: NewStateJob): NewEntryJob | null => (job.kind === "entry" ? job : null);

const columns = (db: PgDatabase, jobs: readonly NewStateJob[]): readonly string[] => {
  const next = jobs.map((job) => (job.kind === "continuation" ? job : null));
  return [
    ...newJobColumns(jobs),
    db.storableIds(jobs.map((job) => job.rootSequenceId)),
    db.storableIds(jobs.map((job) => job.originId)),
    db.storableIds(next.map((job) => job?.sequenceId ?? null)),
    column(next, (job) => job?.sequenceTypeName ?? null),
    column(next, (job) => job?.sequenceCreatedAt.toISOString() ?? null),
    column(next, (job) => job?.position ?? null),
    column(jobs, (job) => entryOf(job)?.deduplication?.key ?? null),
    column(jobs, (job) => entryOf(job)?.deduplication?.strategy ?? null),
    column(jobs, (job) => entryOf(job)?.deduplication?.windowMs ?? null),
  ];
};

const toCreated = (
  jobs: readonly NewStateJob[],
  ids: readonly string[],
  rows: readonly PgRow[],
): readonly CreatedStateJob[] => {
  const duplicates = new Map<number, PgRow>();
  const created: PgRow[] = [];
  for (const row of rows) {
    if (row["kind"] === "deduplicated") duplicates.set(Number(row["element"]) - 1, row);
    else created.push(row);
  }
  let next = 0;
  return jobs.map((job, index) => {
    const duplicate = duplicates.get(index);
    if (duplicate !== undefined) return { job: toStateJob(duplicate), deduplicated: true };
    const row = created[next++];
    if (row === undefined) throw new Error("create_jobs answered with too few rows");
    return { job: toCreatedJob(job, ids[index] ?? String(row["id"]), row), deduplicated: false };
  });
};

/** What a call with these ids has stored, or null if nothing: the ids are new in the world, so any match is ours. */
const createdBefore = (
  db: PgDatabase,
): ((
  ids: readonly string[],
  jobs: readonly NewStateJob[],
) => Promise<readonly CreatedStateJob[] | null>) => {
  const find = db.statement(
    "find_created",
    `SELECT j.id, j.ordinal, (date_part('epoch', j.created_at) * 1000000)::bigint AS created_at_us, ` +
      `(date_part('epoch', j.scheduled_at) * 1000000)::bigint AS scheduled_at_us FROM ${db.names.schema}.job j ` +
      `WHERE j.id = ANY(${argument(db.names, 1, "id[]")})`,
  );
  return async (ids, jobs) => {
    const rows = new Map((await find([db.ids(ids)])).map((row) => [String(row["id"]), row]));
    if (rows.size === 0) return null;
    // Elements without a row were deduplicated; asking again finds the same sequence. Rare enough for a second call.
    if (rows.size < jobs.length) return null;
    return jobs.map((job, index) => {
      const row = rows.get(ids[index] ?? "");
      if (row === undefined) throw new Error("A stored job has another id than it was given");
      return { job: toCreatedJob(job, String(row["id"]), row), deduplicated: false };
    });
  };
};
