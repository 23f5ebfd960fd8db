// The acquisition of jobs of renamed types. The names of a type share its limit. A type without a limit of
// its own needs one statement. Otherwise each name has a statement, for the room that is left after the names before it.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { AcquireJobsParams, AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import type { FormerNames } from "./former-names.ts";

type Types = AcquireJobsParams["types"];

/** Acquires by the former names first: their jobs are the oldest, and no new ones come once every process is new. */
export const acquireByAllNames = async (
  state: Pick<AnyStateAdapter, "acquireJobs">,
  { allOf, currentOf }: FormerNames,
  params: AcquireJobsParams,
): Promise<AcquireJobsResult> => {
  const rounds = toRounds(params, allOf);
  const [only] = rounds;
  if (rounds.length <= 1) return state.acquireJobs({ ...params, types: only ?? [] });
  const jobs: AcquireJobsResult["jobs"][number][] = [];
  const dueInMs: number[] = [];
  let limited = false;
  let last: AcquireJobsResult | undefined;
  for (const round of rounds) {
    const limit = params.limit - jobs.length;
    const types = leftOf(round, jobs, currentOf);
    if (limit <= 0) break;
    if (types.length === 0) continue;
    last = await state.acquireJobs({ ...params, types, limit });
    jobs.push(...last.jobs);
    limited ||= last.isLimited === true;
    if (last.nextDueInMs !== null) dueInMs.push(last.nextDueInMs);
  }
  const isLimited = limited || undefined;
  const nextDueInMs = dueInMs.length === 0 ? null : Math.min(...dueInMs);
  return { ...last, jobs, nextDueInMs, isLimited };
};

/** Round by round: the types that a statement asks for. */
const toRounds = (params: AcquireJobsParams, allOf: FormerNames["allOf"]): readonly Types[] => {
  const rounds: Types[number][][] = [];
  for (const type of params.types) {
    const isLimited = type.limit < params.limit;
    for (const [index, typeName] of allOf(type.typeName).entries()) {
      (rounds[isLimited ? index : 0] ??= []).push({ ...type, typeName });
    }
  }
  return rounds;
};

/** With the limit of each type less the jobs of it that were acquired. */
const leftOf = (
  types: Types,
  acquired: AcquireJobsResult["jobs"],
  currentOf: FormerNames["currentOf"],
): Types =>
  types.flatMap((type) => {
    const typeName = currentOf(type.typeName);
    const taken = acquired.filter(({ job }) => job.typeName === typeName).length;
    return taken < type.limit ? [{ ...type, limit: type.limit - taken }] : [];
  });
