// A search over a bounded number of jobs. The bound is an ordinal, found in the index `page` alone. Open or failed jobs are few
// beside completed ones. If they are few enough, only they are looked at, by their own indexes. Retried jobs have an index by ordinal.
import {
  type ExamineJobsParams,
  type JobStatus,
  type OperatorStore,
  possibleStatuses,
  type StoreCondition,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateJob } from "../job-document.ts";
import { type Scope, within } from "../store.ts";
import { toFilter } from "./conditions.ts";

export const examineJobs =
  (db: Database): NonNullable<OperatorStore["examineJobs"]> =>
  async (params) => {
    const { conditions, order, limit, afterOrdinal, ordinalMax, examineMax } = params;
    const scope = within(params.timeoutMs);
    const isAscending = order === "asc";
    const until = isAscending ? "$lte" : "$gte";
    const sort = { ordinal: isAscending ? 1 : -1 } as const;
    const bounds: readonly OrdinalBound[] = [
      ...(afterOrdinal === null
        ? []
        : [{ ordinal: { [isAscending ? "$gt" : "$lt"]: afterOrdinal } }]),
      ...(ordinalMax === null ? [] : [{ ordinal: { $lte: ordinalMax } }]),
    ];
    const walked = walkedJobs(conditions);
    const few = walked === null ? await fewJobs(db, scope, params, bounds) : null;
    const driving = walked ?? few?.filter;
    const range = [
      { ordinal: { $gte: 0 } },
      ...bounds,
      ...(driving === undefined ? [] : [driving]),
    ];
    // Undefined: fewer jobs are left.
    const last = few === null ? await ordinalAt(db, scope, range, sort, examineMax) : undefined;
    const upTo = (ordinal: number | undefined): object => ({
      $and: [...range, ...(ordinal === undefined ? [] : [{ ordinal: { [until]: ordinal } }])],
    });
    const filter = { $and: [upTo(last), ...conditions.map(toFilter)] };
    const found = await db.jobs.find(scope, filter, { sort, limit });
    const jobs = found.map(toStateJob);
    const end = jobs.length === limit ? jobs.at(-1)?.ordinal : last;
    if (end !== undefined && end === last) return { jobs, examined: examineMax, examinedTo: end };
    if (end === undefined && few !== null) {
      return { jobs, examined: few.count, examinedTo: null };
    }
    const [examined] = await db.jobs.aggregate<{ count: number }>(scope, [
      { $match: upTo(end) },
      { $count: "count" },
    ]);
    return { jobs, examined: examined?.count ?? 0, examinedTo: end ?? null };
  };

interface OrdinalBound {
  readonly ordinal: Readonly<Record<string, number>>;
}

/** The ordinal of the last of so many jobs; undefined: there are fewer. */
const ordinalAt = async (
  db: Database,
  scope: Scope,
  range: readonly object[],
  sort: Readonly<Record<string, 1 | -1>>,
  count: number,
): Promise<number | undefined> => {
  const [last] = await db.jobs.aggregate<{ ordinal: number }>(scope, [
    ...[{ $match: { $and: range } }, { $sort: sort }, { $skip: count - 1 }, { $limit: 1 }],
    { $project: { _id: 0, ordinal: 1 } },
  ]);
  return last?.ordinal;
};

// A condition on the first field of each status's index: see `summarize`. The index alone answers it.
const ofStatus: Readonly<Partial<Record<JobStatus, object>>> = {
  pending: { status: "pending", typeName: { $gte: "" } },
  blocked: { status: "blocked", typeName: { $gte: "" } },
  running: { status: "running", leasedUntil: { $gte: new Date(0) } },
  failed: { status: "failed", finishedAt: { $gte: new Date(0) } },
};

/** The jobs of the index `retried`, which has them in order. */
const retried = { status: "pending", attempt: { $gt: 0 } } as const;

const isRetrying = (condition: StoreCondition): boolean =>
  condition.field === "is" &&
  !condition.negated &&
  condition.anyOf.length > 0 &&
  condition.anyOf.every((state) => state === "retrying");

/** The jobs that can match, if an index holds them alone and by ordinal; null: those of the index `page` are walked over. */
export const walkedJobs = (conditions: readonly StoreCondition[]): object | null =>
  conditions.some(isRetrying) ? retried : null;

interface FewJobs {
  readonly filter: object;
  /** Within the bounds. */
  readonly count: number;
}

/** The jobs that can match by their status; null: they are too many. */
export const fewJobs = async (
  db: Database,
  scope: Scope,
  { conditions, examineMax }: Pick<ExamineJobsParams, "conditions" | "examineMax">,
  bounds: readonly OrdinalBound[],
): Promise<FewJobs | null> => {
  const filters = possibleStatuses(conditions)?.map((status) => ofStatus[status]);
  if (filters === undefined || filters.length === 0 || filters.includes(undefined)) return null;
  const filter = { $or: filters };
  const isWithin = bounds.flatMap(({ ordinal }) =>
    Object.entries(ordinal).map(([operator, bound]) => ({ [operator]: ["$ordinal", bound] })),
  );
  const [found] = await db.jobs.aggregate<{ all: number; count: number }>(scope, [
    { $match: filter },
    { $limit: examineMax + 1 },
    {
      $group: {
        _id: null,
        all: { $sum: 1 },
        // Without bounds the index alone has all that is asked for.
        count: { $sum: isWithin.length === 0 ? 1 : { $cond: [{ $and: isWithin }, 1, 0] } },
      },
    },
  ]);
  const { all = 0, count = 0 } = found ?? {};
  return all > examineMax ? null : { filter, count };
};
