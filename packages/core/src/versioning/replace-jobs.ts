// Every stored job in the result of an adapter, replaced by another record of it. A new method of the contract is covered by
// itself.
import type { StateJob } from "../model/state-job.ts";

/** The same result with other records. Each record is asked for once, and all at the same time. */
export const replaceJobs = async <T>(
  result: T,
  replace: (job: StateJob) => Promise<StateJob>,
): Promise<T> => {
  const jobs = new Set<StateJob>();
  collect(result, jobs);
  if (jobs.size === 0) return result;
  const replaced = new Map<unknown, StateJob>();
  await Promise.all([...jobs].map(async (job) => replaced.set(job, await replace(job))));
  return exchanged(result, replaced) as T;
};

const isJob = (value: object): value is StateJob => "leaseVersion" in value && "input" in value;

const collect = (value: unknown, jobs: Set<StateJob>): void => {
  if (typeof value !== "object" || value === null || value instanceof Date) return;
  if (isJob(value)) jobs.add(value);
  else for (const part of Object.values(value)) collect(part, jobs);
};

const exchanged = (value: unknown, replaced: ReadonlyMap<unknown, StateJob>): unknown => {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const job = replaced.get(value);
  if (job !== undefined) return job;
  if (Array.isArray(value)) return value.map((element) => exchanged(element, replaced));
  const copy: Record<string, unknown> = {};
  for (const [field, part] of Object.entries(value)) copy[field] = exchanged(part, replaced);
  return copy;
};
