// A search over a bounded number of jobs. The bound is an ordinal, found in the index `page` alone. Open or failed jobs are few
// beside completed ones. If they are few enough, only they are looked at, by their own indexes.
import type { ExamineJobsParams, JobStatus, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateJob } from "../job-document.ts";
import { outside } from "../store.ts";
import { toFilter } from "./conditions.ts";

export const examineJobs =
  (db: Database): NonNullable<OperatorStore["examineJobs"]> =>
  async (params) => {
    const { conditions, order, limit, afterOrdinal, ordinalMax, examineMax } = params;
    const isAscending = order === "asc";
    const until = isAscending ? "$lte" : "$gte";
    const sort = { ordinal: isAscending ? 1 : -1 } as const;
    const few = await fewJobs(db, params);
    const range = [
      { ordinal: { $gte: 0 } },
      ...(afterOrdinal === null
        ? []
        : [{ ordinal: { [isAscending ? "$gt" : "$lt"]: afterOrdinal } }]),
      ...(ordinalMax === null ? [] : [{ ordinal: { $lte: ordinalMax } }]),
      ...(few === null ? [] : [few]),
    ];
    // Undefined: fewer jobs are left.
    const [last] = await db.jobs.aggregate<{ ordinal: number }>(outside, [
      ...[{ $match: { $and: range } }, { $sort: sort }, { $skip: examineMax - 1 }, { $limit: 1 }],
      { $project: { _id: 0, ordinal: 1 } },
    ]);
    const upTo = (ordinal: number | undefined): object => ({
      $and: [...range, ...(ordinal === undefined ? [] : [{ ordinal: { [until]: ordinal } }])],
    });
    const filter = { $and: [upTo(last?.ordinal), ...conditions.map(toFilter)] };
    const found = await db.jobs.find(outside, filter, { sort, limit });
    const jobs = found.map(toStateJob);
    const end = jobs.length === limit ? jobs.at(-1)?.ordinal : last?.ordinal;
    if (end !== undefined && end === last?.ordinal) {
      return { jobs, examined: examineMax, examinedTo: end };
    }
    const [examined] = await db.jobs.aggregate<{ count: number }>(outside, [
      { $match: upTo(end) },
      { $count: "count" },
    ]);
    return { jobs, examined: examined?.count ?? 0, examinedTo: end ?? null };
  };

// A condition on the first field of each status's index: see `summarize`.
const ofStatus: Readonly<Partial<Record<JobStatus, object>>> = {
  pending: { status: "pending", typeName: { $gte: "" } },
  blocked: { status: "blocked", typeName: { $gte: "" } },
  running: { status: "running", leasedUntil: { $gte: new Date(0) } },
  failed: { status: "failed", finishedAt: { $exists: true } },
};

/** The filter of the jobs that can match by their status; null: all jobs. */
const fewJobs = async (
  db: Database,
  { conditions, examineMax }: ExamineJobsParams,
): Promise<object | null> => {
  const filters = statusesOf(conditions)?.map((status) => ofStatus[status]);
  if (filters === undefined || filters.length === 0 || filters.includes(undefined)) return null;
  const filter = { $or: filters };
  const [found] = await db.jobs.aggregate<{ count: number }>(outside, [
    { $match: filter },
    { $limit: examineMax + 1 },
    { $count: "count" },
  ]);
  return (found?.count ?? 0) > examineMax ? null : filter;
};

const openStatuses: readonly JobStatus[] = ["blocked", "pending", "running"];

const statusesOf = (
  conditions: ExamineJobsParams["conditions"],
): readonly JobStatus[] | undefined => {
  for (const condition of conditions) {
    if (condition.negated) continue;
    if (condition.field === "status") return condition.anyOf;
    // Every derived state but `root` is one of an open job.
    if (condition.field === "is" && !condition.anyOf.includes("root")) return openStatuses;
  }
  return undefined;
};
