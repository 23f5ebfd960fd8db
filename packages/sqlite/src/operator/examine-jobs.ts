// A search over a bounded number of jobs. Drivers for SQLite are synchronous, so it looks at a few thousand jobs in one turn of
// the event loop. Each step is a range of ordinals, which are the rowids of the table: no index is needed.
// Open or failed jobs are few beside completed ones. If they are few enough, only they are looked at.
import {
  type ExaminedJobs,
  type ExamineJobsParams,
  type OperatorStore,
  possibleStatuses,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import { allOf, ordinalsWithStatus } from "../list-conditions.ts";
import type { Session } from "../session.ts";
import { stepSize, turnsWithin } from "../turns.ts";
import { toSql } from "./conditions.ts";

export const examineJobs =
  <TTxContext extends object, TContext extends object>(
    database: Database<TTxContext, TContext>,
  ): NonNullable<OperatorStore["examineJobs"]> =>
  async (params) => {
    const { order, ordinalMax, limit, examineMax } = params;
    const turn = turnsWithin(params.timeoutMs);
    const ordinals = await database.read(undefined, (session) =>
      fewOrdinals(session, database.names.job, params),
    );
    let { afterOrdinal } = params;
    if (order === "desc" && ordinalMax !== null) {
      afterOrdinal = Math.min(afterOrdinal ?? Infinity, ordinalMax + 1);
    }
    const jobs: ExaminedJobs["jobs"][number][] = [];
    for (let examined = 0; ; await turn()) {
      const count = Math.min(stepSize, examineMax - examined);
      const page = { ...params, afterOrdinal, limit: limit - jobs.length };
      const step = await database.read(undefined, (session) =>
        examineStep(session, database.names.job, page, { ordinals, count }),
      );
      jobs.push(...step.jobs);
      examined += step.examined;
      afterOrdinal = step.examinedTo;
      if (afterOrdinal === null || jobs.length >= limit || examined >= examineMax) {
        return { jobs, examined, examinedTo: afterOrdinal };
      }
    }
  };

/** The statement of the ordinals that can match by their status; null: all. */
export const fewOrdinals = (
  session: Session,
  job: string,
  { conditions, examineMax }: Pick<ExamineJobsParams, "conditions" | "examineMax">,
): string | null => {
  const statuses = possibleStatuses(conditions);
  const ordinals = statuses === null ? null : ordinalsWithStatus(job, statuses);
  if (ordinals === null) return null;
  const [count = 0] =
    session.get<[number]>(`SELECT count(*) FROM (${ordinals} LIMIT +?)`, examineMax + 1) ?? [];
  return count > examineMax ? null : ordinals;
};

interface Step {
  readonly ordinals: string | null;
  /** The most jobs to look at. */
  readonly count: number;
}

const examineStep = (
  session: Session,
  job: string,
  { conditions, order, limit, afterOrdinal, ordinalMax }: ExamineJobsParams,
  { ordinals, count }: Step,
): ExaminedJobs => {
  const [after, until, direction] = order === "asc" ? [">", "<=", "ASC"] : ["<", ">=", "DESC"];
  const range = allOf([
    afterOrdinal === null ? null : [`job.ordinal ${after} ?`, afterOrdinal],
    ordinalMax === null ? null : ["job.ordinal <= ?", ordinalMax],
    ordinals === null ? null : [`job.ordinal IN (${ordinals})`],
  ]);
  // Null: fewer jobs are left.
  const [last = null] =
    session.get<[number]>(
      `SELECT ordinal FROM ${job} job WHERE ${range.where} ORDER BY ordinal ${direction} LIMIT 1 OFFSET ?`,
      ...range.parameters,
      count - 1,
    ) ?? [];
  const now = session.now();
  const all = allOf([
    [range.where, ...range.parameters],
    last === null ? null : [`job.ordinal ${until} ?`, last],
    ...conditions.map((condition) => toSql(condition, now)),
  ]);
  const rows = session.all<JobRow>(
    `SELECT ${jobColumns("job")} FROM ${job} job WHERE ${all.where} ORDER BY job.ordinal ${direction} LIMIT +?`,
    ...all.parameters,
    limit,
  );
  const jobs = rows.map(toStateJob);
  const end = jobs.length === limit ? (jobs.at(-1)?.ordinal ?? null) : last;
  if (end !== null && end === last) return { jobs, examined: count, examinedTo: end };
  const upToEnd = allOf([
    [range.where, ...range.parameters],
    end === null ? null : [`job.ordinal ${until} ?`, end],
  ]);
  const [examined = 0] =
    session.get<[number]>(
      `SELECT count(*) FROM ${job} job WHERE ${upToEnd.where}`,
      ...upToEnd.parameters,
    ) ?? [];
  return { jobs, examined, examinedTo: end };
};
