// A window of creation as a range of ordinals. Times of creation grow with ordinals, up to a margin. So a bisection finds the bounds, and
// each of its steps reads one job by the index of ordinals.
import type { ExaminedJobs, ExamineJobsParams } from "../../adapters/operator-reads.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { StateJob } from "../../model/state-job.ts";

/** A statement may be slow between the time that it takes and the ordinal that it is given. */
export const createdMarginMs = 60_000;

/** The bisection ends at a range of so many ordinals: to look at them costs less than more steps. */
const rangeMax = 128;

/** The times of creation that all conditions allow. Null: no bound. */
interface CreatedTimes {
  readonly from: number | null;
  readonly to: number | null;
}

export const createdTimesOf = (conditions: readonly StoreCondition[]): CreatedTimes => {
  let from = -Infinity;
  let to = Infinity;
  for (const condition of conditions) {
    if (condition.field !== "time" || condition.of !== "createdAt" || condition.negated) continue;
    from = Math.max(from, condition.from?.getTime() ?? -Infinity);
    to = Math.min(to, condition.to?.getTime() ?? Infinity);
  }
  return { from: from === -Infinity ? null : from, to: to === Infinity ? null : to };
};

/** Searches the ordinals of the window only. */
export const searchWindow = async (
  state: AnyStateAdapter,
  params: ExamineJobsParams,
  search: (params: ExamineJobsParams) => Promise<ExaminedJobs>,
): Promise<ExaminedJobs> => {
  const { from, to } = createdTimesOf(params.conditions);
  if (from === null && to === null) return search(params);
  const ends = await readEnds(state);
  if (ends === null) return nothing;
  // No job of the window has a smaller ordinal than the first, or a larger one than the last.
  const first = from === null ? 0 : (await bisect(state, ends, from - createdMarginMs)).below + 1;
  const last =
    to === null ? ends.newest.ordinal : (await bisect(state, ends, to + createdMarginMs)).above - 1;
  return params.order === "asc"
    ? searchUp(params, first, last, search)
    : searchDown(params, first, last, search);
};

const nothing: ExaminedJobs = { jobs: [], examined: 0, examinedTo: null };

const searchUp = async (
  params: ExamineJobsParams,
  first: number,
  last: number,
  search: (params: ExamineJobsParams) => Promise<ExaminedJobs>,
): Promise<ExaminedJobs> => {
  const afterOrdinal = Math.max(params.afterOrdinal ?? 0, first - 1);
  const ordinalMax = Math.min(params.ordinalMax ?? Infinity, last);
  return afterOrdinal >= ordinalMax ? nothing : search({ ...params, afterOrdinal, ordinalMax });
};

/** A store has no lower bound. It looks at no more jobs than the window has ordinals, and the search ends with the window. */
const searchDown = async (
  params: ExamineJobsParams,
  first: number,
  last: number,
  search: (params: ExamineJobsParams) => Promise<ExaminedJobs>,
): Promise<ExaminedJobs> => {
  const ordinalMax = Math.min(params.ordinalMax ?? Infinity, last);
  const newest = Math.min((params.afterOrdinal ?? Infinity) - 1, ordinalMax);
  const size = newest - first + 1;
  if (size <= 0) return nothing;
  const examineMax = Math.min(params.examineMax, size);
  const found = await search({ ...params, ordinalMax, examineMax });
  const { examinedTo } = found;
  return examinedTo !== null && examinedTo <= first ? { ...found, examinedTo: null } : found;
};

interface Ends {
  readonly oldest: StateJob;
  readonly newest: StateJob;
}

const readEnds = async (state: AnyStateAdapter): Promise<Ends | null> => {
  const [oldest] = await readOne(state, "asc", null);
  const [newest] = await readOne(state, "desc", null);
  return oldest === undefined || newest === undefined ? null : { oldest, newest };
};

/** All jobs up to `below` were created before the time, and all from `above` on at the time or later. */
const bisect = async (
  state: AnyStateAdapter,
  { oldest, newest }: Ends,
  time: number,
): Promise<{ readonly below: number; readonly above: number }> => {
  if (oldest.createdAt.getTime() >= time) {
    return { below: oldest.ordinal - 1, above: oldest.ordinal };
  }
  if (newest.createdAt.getTime() < time) {
    return { below: newest.ordinal, above: newest.ordinal + 1 };
  }
  let below = oldest.ordinal;
  let above = newest.ordinal;
  while (above - below > rangeMax) {
    const middle = Math.floor((below + above) / 2);
    const [job] = await readOne(state, "asc", middle - 1);
    // Jobs may be deleted meanwhile.
    if (job === undefined || job.createdAt.getTime() >= time) above = middle;
    else below = Math.max(job.ordinal, middle);
    if (below >= above) below = above - 1;
  }
  return { below, above };
};

const readOne = (
  state: AnyStateAdapter,
  order: ExamineJobsParams["order"],
  afterOrdinal: number | null,
): Promise<readonly StateJob[]> =>
  state.listJobs({
    ...{ typeNames: null, statuses: null, sequenceId: null, rootSequenceId: null },
    ...{ createdFrom: null, createdTo: null, order, limit: 1, afterOrdinal },
  });
