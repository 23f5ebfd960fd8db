// Step 2 of the walk: jobs are stored, all or none, in one round trip.
// Ids are made here unless the store has an `idDefault`; the routine gives out ordinals and finds duplicates.
import type { CreatedStateJob, NewStateJob } from "queuert/internal";
import type { PgDatabase, PgState } from "../database.ts";
import { PgInvalidOptionError } from "../errors.ts";
import { rowToStateJob, toNullableText, toStateJob } from "../job-row.ts";
import {
  createJobsColumns,
  createJobsColumnTypes,
  entryOf,
  hasGivenId,
  insertJobs,
  newJobColumnTypes,
  prepareInserts,
  toCreatedJob,
} from "../insert-jobs.ts";
import { codeOf, saysOfStore } from "../named-errors.ts";

import type { PgRow } from "../state-provider.ts";

const argTypes = { ids: "id[]", ...newJobColumnTypes, ...createJobsColumnTypes } as const;

export const createJobs = (db: PgDatabase, generateId: () => string): PgState["createJobs"] => {
  const create = db.routine("create_jobs", argTypes);
  const createWithIds = db.idDefault === null ? null : withIdDefault(db);
  const inserts = prepareInserts(db);
  const makeIds = idMaker(db, generateId);
  const lookUp = createdBefore(db);
  // A retry after a lost answer calls again with the same array: it must find the jobs that the first try stored.
  const idsByJobs = new WeakMap<readonly NewStateJob[], readonly string[]>();

  // An id that is stored already is found: a retry after a lost answer finds the job of the first try.
  const createUnderGivenIds: PgState["createJobs"] = async ({ context, jobs }) => {
    const given = jobs.map((job) => entryOf(job)?.id ?? null);
    db.storableIds(given);
    const made = await makeIds(given.filter((id) => id === null).length, context);
    let next = 0;
    const ids = given.map((id) => id ?? made[next++] ?? null);
    const rows = await create({ ids: db.ids(ids), ...createJobsColumns(db, jobs) }, context);
    return toCreated(jobs, [], rows);
  };

  return async (params) => {
    const { context, jobs } = params;
    if (jobs.length === 0) return [];
    if (jobs.some(hasGivenId)) return createUnderGivenIds(params);
    const earlierIds = idsByJobs.get(jobs);
    if (earlierIds !== undefined) {
      const stored = await lookUp(earlierIds);
      if (stored !== null) return stored;
    }
    if (context !== undefined && createWithIds !== null) {
      const args = { ids: String(jobs.length), ...createJobsColumns(db, jobs) };
      const rows = await createWithIds(args, context).catch(blameIdDefault(db));
      return toCreated(jobs, [], rows);
    }
    const ids = earlierIds ?? (await makeIds(jobs.length));
    // Alone it may be repeated after a lost answer; in a transaction of the caller's it is lost with that.
    if (context === undefined) idsByJobs.set(jobs, ids);
    const hasKeys = jobs.some((job) => job.kind === "entry" && job.deduplication !== null);
    const rows = hasKeys
      ? await create({ ids: db.ids(ids), ...createJobsColumns(db, jobs) }, context)
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

// The user's expression runs outside the routines, with the path of the session: it may call the user's functions.

/** New ids, made by the library, or by the server if the store has an `idDefault`. */
export const idMaker = (
  db: PgDatabase,
  generateId: () => string,
): ((count: number, context?: object) => Promise<readonly string[]>) => {
  if (db.idDefault === null) return async (count) => Array.from({ length: count }, generateId);
  const make = db.statement(
    "make_ids",
    `SELECT (${db.idDefault})::pg_catalog.text AS id ` +
      `FROM pg_catalog.generate_series(1, $1::pg_catalog.text::integer)`,
  );
  return async (count, context) => {
    if (count === 0) return [];
    const rows = await make([String(count)], context).catch(blameIdDefault(db));
    return rows.map((row) => {
      const id = db.id(toNullableText(row["id"]) ?? "\0");
      if (id === null) throw invalidIdDefault(db);
      return id;
    });
  };
};

const invalidIdDefault = ({ names: { idTypeName } }: PgDatabase, cause?: unknown): Error =>
  new PgInvalidOptionError("idDefault", `an SQL expression that makes a ${idTypeName}`, { cause });

// Errors of the expression itself: a syntax error, another type, or no value.
const statesOfExpression = new Set(["42601", "42804", "42846", "22P02", "22003", "23502"]);
// Errors of the expression unless they name the schema of the store.
const statesOfNames = new Set(["42883", "42P01", "42703"]);

/** For a statement that contains the expression: an error of the expression names the option. */
const blameIdDefault =
  (db: PgDatabase) =>
  (error: unknown): never => {
    const code = error instanceof Error ? codeOf(error) : undefined;
    if (!(error instanceof Error) || code === undefined) throw error;
    const isToBlame =
      statesOfExpression.has(code) || (statesOfNames.has(code) && !saysOfStore(error, db.names));
    throw isToBlame ? invalidIdDefault(db, error) : error;
  };
