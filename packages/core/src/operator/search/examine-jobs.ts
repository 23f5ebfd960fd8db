// A search looks at a bounded number of jobs, and says how far it looked. A store may do it in one statement. For another store
// the jobs are read in pages and compared here.
import type { ExaminedJobs, ExamineJobsParams } from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import { matchesAll } from "../../adapter-kit/job-conditions.ts";

/** Jobs read at once, with their payloads. */
const pageSize = 500;

/** One page of the jobs that meet all conditions. `now`: the store's clock. */
export const examineJobs = async (
  state: AnyStateAdapter,
  params: ExamineJobsParams,
  now: Date,
): Promise<ExaminedJobs> => {
  const named = idsOf(params.conditions);
  if (named !== null) return namedJobs(state, params, named, now);
  const { operator } = state;
  return operator?.examineJobs === undefined
    ? examineInPages(state, params, now)
    : operator.examineJobs(params);
};

/** Jobs that are named by whole ids are looked up. */
const idsOf = (conditions: readonly StoreCondition[]): readonly string[] | null => {
  const ids = conditions.find(
    (condition): condition is Extract<StoreCondition, { field: "id" }> =>
      condition.field === "id" && !condition.negated,
  );
  return ids === undefined ? null : [...new Set(ids.anyOf)];
};

const namedJobs = async (
  state: AnyStateAdapter,
  { conditions, order, limit, afterOrdinal, ordinalMax }: ExamineJobsParams,
  ids: readonly string[],
  now: Date,
): Promise<ExaminedJobs> => {
  const sign = order === "asc" ? 1 : -1;
  const isAfter = ({ ordinal }: StateJob): boolean =>
    (ordinalMax === null || ordinal <= ordinalMax) &&
    (afterOrdinal === null || (ordinal - afterOrdinal) * sign > 0);
  const found = (await state.getJobs({ ids }))
    .filter((job) => job !== undefined)
    .filter((job) => isAfter(job) && matchesAll(job, conditions, now))
    .sort((left, right) => (left.ordinal - right.ordinal) * sign);
  const jobs = found.slice(0, limit);
  const last = found.length > limit ? jobs.at(-1) : undefined;
  return { jobs, examined: found.length, examinedTo: last?.ordinal ?? null };
};

const examineInPages = async (
  state: AnyStateAdapter,
  params: ExamineJobsParams,
  now: Date,
): Promise<ExaminedJobs> => {
  const { conditions, order, limit, ordinalMax, examineMax } = params;
  const jobs: StateJob[] = [];
  const isPast = pastWindow(conditions, order);
  let examined = 0;
  let afterOrdinal = params.afterOrdinal;
  // A descending page begins below the bound.
  if (order === "desc" && ordinalMax !== null) {
    afterOrdinal = Math.min(afterOrdinal ?? Infinity, ordinalMax + 1);
  }
  while (examined < examineMax) {
    const size = Math.min(pageSize, examineMax - examined);
    const page = await state.listJobs({
      ...drivingFilter(conditions),
      order,
      limit: size,
      afterOrdinal,
    });
    for (const job of page) {
      if (isPast(job) || (ordinalMax !== null && job.ordinal > ordinalMax)) {
        return { jobs, examined, examinedTo: null };
      }
      examined++;
      afterOrdinal = job.ordinal;
      if (!matchesAll(job, conditions, now)) continue;
      jobs.push(job);
      if (jobs.length === limit) return { jobs, examined, examinedTo: job.ordinal };
    }
    if (page.length < size) return { jobs, examined, examinedTo: null };
  }
  return { jobs, examined, examinedTo: afterOrdinal };
};

/** A statement may be slow between the time that it takes and the ordinal that it is given. */
const createdMarginMs = 60_000;

/** Times of creation grow with ordinals, up to the margin: beyond it, no job of the window follows. */
const pastWindow = (
  conditions: readonly StoreCondition[],
  order: ExamineJobsParams["order"],
): ((job: StateJob) => boolean) => {
  let from = -Infinity;
  let to = Infinity;
  for (const condition of conditions) {
    if (condition.field !== "time" || condition.of !== "createdAt" || condition.negated) continue;
    from = Math.max(from, condition.from?.getTime() ?? -Infinity);
    to = Math.min(to, condition.to?.getTime() ?? Infinity);
  }
  return order === "desc"
    ? ({ createdAt }) => createdAt.getTime() < from - createdMarginMs
    : ({ createdAt }) => createdAt.getTime() > to + createdMarginMs;
};

type ListFilter = Pick<
  Parameters<AnyStateAdapter["listJobs"]>[0],
  "typeNames" | "statuses" | "sequenceId" | "rootSequenceId" | "createdFrom" | "createdTo"
>;

/**
 * The conditions that every store has an index for. The others are compared here: a store that looks for a rare type would
 * look at all its jobs before the page is full.
 */
const drivingFilter = (conditions: readonly StoreCondition[]): ListFilter => {
  const texts = (of: string): string | null => {
    const found = conditions.find(
      (each) => each.field === "text" && each.of === of && !each.negated,
    );
    return found?.field === "text" && found.anyOf.length === 1 ? (found.anyOf[0] ?? null) : null;
  };
  return {
    typeNames: null,
    statuses: drivingStatuses(conditions),
    sequenceId: texts("sequenceId"),
    rootSequenceId: texts("rootSequenceId"),
    createdFrom: null,
    createdTo: null,
  };
};

/** Statuses narrow unless completed jobs are among them: there are too many of those. */
const drivingStatuses = (conditions: readonly StoreCondition[]): readonly JobStatus[] | null => {
  for (const condition of conditions) {
    if (condition.negated) continue;
    if (condition.field === "status" && !condition.anyOf.includes("completed")) {
      return condition.anyOf;
    }
    if (condition.field === "is") {
      const statuses = condition.anyOf.map((state) => statusesOf[state]);
      if (statuses.every((each) => each !== undefined)) return [...new Set(statuses.flat())];
    }
  }
  return null;
};

const statusesOf: Readonly<Record<string, readonly JobStatus[] | undefined>> = {
  open: ["blocked", "pending", "running"],
  due: ["pending"],
  scheduled: ["pending"],
  retrying: ["pending"],
  stalled: ["running"],
};
