// A search looks at a bounded number of jobs, and says how far it looked. A store may do it in one statement. For another store
// the jobs are read in pages and compared here.
import type { ExaminedJobs, ExamineJobsParams } from "../../adapters/operator-reads.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import { isLimitField, matchesAll, possibleStatuses } from "../../adapter-kit/job-conditions.ts";
import { createdMarginMs, createdTimesOf, searchWindow } from "./created-window.ts";

/** Jobs read at once, with their payloads. */
const pageSize = 500;

/** One page of the jobs that meet all conditions. `now`: the store's clock. */
export const examineJobs = async (
  state: AnyStateAdapter,
  params: ExamineJobsParams,
  now: Date,
): Promise<ExaminedJobs> => {
  // Of a key, only the store knows the jobs.
  const isOfKey = params.conditions.some((each) => each.field === "text" && isLimitField(each.of));
  const named = isOfKey
    ? null
    : (idsOf(params.conditions) ?? (await idsWithPrefix(state, params.conditions)));
  if (named !== null) return namedJobs(state, params, named, now);
  const { operator } = state;
  const isInPages =
    operator?.examineJobs === undefined || (isOfOneTree(params.conditions) && !isOfKey);
  const examine = async (narrowed: ExamineJobsParams): Promise<ExaminedJobs> =>
    isInPages
      ? examineInPages(state, narrowed, now)
      : inSteps(narrowed, async (step) => (await operator?.examineJobs?.(step)) ?? nothing);
  return searchWindow(state, { ...params, conditions: withImplied(params.conditions) }, examine);
};

/** A store walks to the end of its step first. Most pages are full long before. */
const firstStepMax = 2_000;
/** Blocked, failed and running jobs are seldom more. Those of a first step are found by their index, without a look at others. */
const firstFewMax = 20_000;
const stepGrowth = 4;

/** Steps that grow, until the page is full. */
const inSteps = async (
  params: ExamineJobsParams,
  examine: (step: ExamineJobsParams) => Promise<ExaminedJobs>,
): Promise<ExaminedJobs> => {
  const { conditions, limit } = params;
  const { size: firstStep, growth } = stepsOf(conditions, limit);
  const jobs: StateJob[] = [];
  let { afterOrdinal } = params;
  let examined = 0;
  for (let size = firstStep; ; size *= growth) {
    const found = await examine({
      ...{ ...params, afterOrdinal, limit: limit - jobs.length },
      examineMax: Math.min(size, params.examineMax - examined),
    });
    jobs.push(...found.jobs);
    examined += found.examined;
    afterOrdinal = found.examinedTo;
    const isEnd = afterOrdinal === null || jobs.length >= limit;
    if (isEnd || examined >= params.examineMax) return { jobs, examined, examinedTo: afterOrdinal };
  }
};

interface Steps {
  readonly size: number;
  readonly growth: number;
}

/** Jobs of few statuses are looked up by their index, all at once. So the second of their steps is the last. */
const stepsOf = (conditions: readonly StoreCondition[], limit: number): Steps => {
  // Each job is one of the page.
  if (conditions.length === 0) return { size: limit, growth: stepGrowth };
  const statuses = drivingStatuses(conditions);
  if (statuses === null) return { size: firstStepMax, growth: stepGrowth };
  return { size: statuses.includes("pending") ? firstStepMax : firstFewMax, growth: Infinity };
};

const nothing: ExaminedJobs = { jobs: [], examined: 0, examinedTo: null };

/** Every store lists the jobs of one sequence or tree by an index. */
const isOfOneTree = (conditions: readonly StoreCondition[]): boolean => {
  const { sequenceId, rootSequenceId } = drivingFilter(conditions);
  return sequenceId !== null || rootSequenceId !== null;
};

/** A worker holds running jobs only. Stores find those without a look at the others. */
const withImplied = (conditions: readonly StoreCondition[]): readonly StoreCondition[] =>
  conditions.some((each) => each.field === "text" && each.of === "leasedBy" && !each.negated)
    ? [{ field: "status", anyOf: ["running"], negated: false }, ...conditions]
    : conditions;

/** Jobs that are named by whole ids are looked up. */
const idsOf = (conditions: readonly StoreCondition[]): readonly string[] | null => {
  const ids = conditions.find(
    (condition): condition is Extract<StoreCondition, { field: "id" }> =>
      condition.field === "id" && !condition.negated,
  );
  return ids === undefined ? null : [...new Set(ids.anyOf)];
};

/** More jobs with one beginning are a search like any other. */
const prefixedMax = 1_000;

/** Jobs that are named by the beginning of their id are found by the range of the key. Null: too many, or the store cannot. */
const idsWithPrefix = async (
  { operator }: AnyStateAdapter,
  conditions: readonly StoreCondition[],
): Promise<readonly string[] | null> => {
  const found = conditions.find((each) => each.field === "idPrefix" && !each.negated);
  if (found?.field !== "idPrefix" || operator?.findIds === undefined) return null;
  const ids = new Set<string>();
  for (const prefix of found.anyOf) {
    const some = await operator.findIds({ prefix, limit: prefixedMax + 1 });
    if (some === null) return null;
    for (const id of some) ids.add(id);
    if (ids.size > prefixedMax) return null;
  }
  return [...ids];
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

/** Times of creation grow with ordinals, up to the margin: beyond it, no job of the window follows. */
const pastWindow = (
  conditions: readonly StoreCondition[],
  order: ExamineJobsParams["order"],
): ((job: StateJob) => boolean) => {
  const { from, to } = createdTimesOf(conditions);
  return order === "desc"
    ? ({ createdAt }) => createdAt.getTime() < (from ?? -Infinity) - createdMarginMs
    : ({ createdAt }) => createdAt.getTime() > (to ?? Infinity) + createdMarginMs;
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

/** Statuses narrow unless finished jobs are among them: there are too many of those. */
const drivingStatuses = (conditions: readonly StoreCondition[]): readonly JobStatus[] | null => {
  const statuses = possibleStatuses(conditions);
  return statuses?.includes("completed") === true || statuses?.includes("cancelled") === true
    ? null
    : statuses;
};
