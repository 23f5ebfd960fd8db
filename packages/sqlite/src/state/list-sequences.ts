import type { StateAdapter, StateSequence } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumnCount, jobColumns, sequenceIdOf, toStateJob } from "../job-row.ts";
import {
  allOf,
  isInTree,
  isOneOf,
  ordinalsWithStatus,
  pageConditions,
} from "../list-conditions.ts";

export const listSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["listSequences"] => {
  const { job } = database.names;
  // The current job is the one at the highest position: the first job of a sequence that has not continued.
  const select = `
SELECT ${jobColumns("first")}, ${jobColumns("current")} FROM ${job} first
JOIN ${job} current ON current.ordinal = COALESCE(
  (SELECT later.ordinal FROM ${job} later WHERE later.sequence_id = first.id AND later.position > 0
   ORDER BY later.position DESC LIMIT 1),
  first.ordinal)
WHERE first.position = 0`;
  // From the few jobs with such a status to their first jobs, not through all first jobs.
  const startedBy = (ordinals: string): string => `first.ordinal IN (
SELECT start.ordinal FROM ${job} live CROSS JOIN ${job} start ON start.id = ${sequenceIdOf("live")}
WHERE live.ordinal IN (${ordinals}))`;

  return async (params) => {
    const { context, typeNames, statuses, rootSequenceId, order, limit } = params;
    if (limit <= 0) return [];
    const ordinals = statuses === null ? null : ordinalsWithStatus(job, statuses);
    const { where, parameters } = allOf([
      ...pageConditions("first", params),
      isOneOf("first.type_name", typeNames),
      isOneOf("current.status", statuses),
      ordinals === null ? null : [startedBy(ordinals)],
      isInTree("first", rootSequenceId),
    ]);
    const direction = order === "asc" ? "ASC" : "DESC";
    const sql = `${select} AND ${where} ORDER BY first.ordinal ${direction} LIMIT +?`;
    return database.read(context, (session) =>
      session.all<JobRow>(sql, ...parameters, limit).map(toStateSequence),
    );
  };
};

const toStateSequence = (row: JobRow): StateSequence => {
  const first = toStateJob(row);
  // The statement above selects two jobs side by side.
  const current = toStateJob(row.slice(jobColumnCount) as unknown as JobRow);
  return { first, current: current.id === first.id ? first : current };
};
