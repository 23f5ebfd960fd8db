import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import {
  allOf,
  isInTree,
  isOneOf,
  ordinalsWithStatus,
  pageConditions,
} from "../list-conditions.ts";

export const listJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["listJobs"] => {
  const select = `SELECT ${jobColumns("job")} FROM ${database.names.job} job`;

  return async (params) => {
    const { sequenceTypeNames = null } = params;
    const { context, typeNames, statuses, sequenceId, rootSequenceId, order, limit } = params;
    if (limit <= 0) return [];
    const ordinals = statuses === null ? null : ordinalsWithStatus(database.names.job, statuses);
    const { where, parameters } = allOf([
      ...pageConditions("job", params),
      isOneOf("job.type_name", typeNames),
      // Only later jobs of a sequence store its type.
      isOneOf("coalesce(job.sequence_type_name, job.type_name)", sequenceTypeNames),
      isOneOf("job.status", statuses),
      ordinals === null ? null : [`job.ordinal IN (${ordinals})`],
      sequenceId === null
        ? null
        : [
            "((job.id = ? AND job.position = 0) OR (job.sequence_id = ? AND job.position > 0))",
            sequenceId,
            sequenceId,
          ],
      isInTree("job", rootSequenceId),
    ]);
    const direction = order === "asc" ? "ASC" : "DESC";
    const sql = `${select} WHERE ${where} ORDER BY job.ordinal ${direction} LIMIT +?`;
    return database.read(context, (session) =>
      session.all<JobRow>(sql, ...parameters, limit).map(toStateJob),
    );
  };
};
