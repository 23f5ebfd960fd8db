// Counts in the steps of a search, the newest jobs first.
import type { CountJobsParams, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { allOf } from "../list-conditions.ts";
import type { Session } from "../session.ts";
import { stepSize, turnsWithin } from "../turns.ts";
import { toSql } from "./conditions.ts";
import { fewOrdinals } from "./examine-jobs.ts";

export const countJobs =
  <TTxContext extends object, TContext extends object>(
    database: Database<TTxContext, TContext>,
  ): NonNullable<OperatorStore["countJobs"]> =>
  async (params) => {
    const { max, examineMax, timeoutMs } = params;
    const turn = turnsWithin(timeoutMs);
    const { job } = database.names;
    const ordinals = await database.read(undefined, (session) => fewOrdinals(session, job, params));
    let count = 0;
    let afterOrdinal: number | null = null;
    for (let examined = 0; ; await turn()) {
      const size = Math.min(stepSize, examineMax - examined);
      const range: Range = { ordinals, afterOrdinal, size };
      const step = await database.read(undefined, (session) =>
        countStep(session, job, params.conditions, range),
      );
      count += step.count;
      examined += size;
      afterOrdinal = step.last;
      const isCut = afterOrdinal !== null;
      if (count > max) return { count: max, isAtLeast: true };
      if (!isCut || examined >= examineMax) return { count, isAtLeast: isCut };
    }
  };

interface Range {
  readonly ordinals: string | null;
  readonly afterOrdinal: number | null;
  /** The most jobs to look at. */
  readonly size: number;
}

interface Step {
  readonly count: number;
  /** The last job that was looked at. Null: there are no more. */
  readonly last: number | null;
}

const countStep = (
  session: Session,
  job: string,
  conditions: CountJobsParams["conditions"],
  { ordinals, afterOrdinal, size }: Range,
): Step => {
  const range = allOf([
    afterOrdinal === null ? null : ["job.ordinal < ?", afterOrdinal],
    ordinals === null ? null : [`job.ordinal IN (${ordinals})`],
  ]);
  // The last job of the step, and whether there is another one behind it.
  const ends = session.all<[number]>(
    `SELECT ordinal FROM ${job} job WHERE ${range.where} ORDER BY ordinal DESC LIMIT 2 OFFSET ?`,
    ...range.parameters,
    size - 1,
  );
  const last = ends[0]?.[0] ?? null;
  const now = session.now();
  const all = allOf([
    [range.where, ...range.parameters],
    last === null ? null : ["job.ordinal >= ?", last],
    ...conditions.map((condition) => toSql(condition, now)),
  ]);
  const [count = 0] =
    session.get<[number]>(
      `SELECT count(*) FROM ${job} job WHERE ${all.where}`,
      ...all.parameters,
    ) ?? [];
  return { count, last: ends.length < 2 ? null : last };
};
