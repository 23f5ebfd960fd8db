// Steps of the cases about limits by key.
import type { LimitKeyStore } from "../../adapters/limit-key-store.ts";
import type { AcquireJobsResult } from "../../adapters/state-adapter-params.ts";
import type { StateLimit, StateRate } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { JobLimitKey, NewEntryJob } from "../../model/state-job.ts";
import { minuteMs } from "../factories.ts";

/** A token comes back long after the case. */
export const slowRate = (burst: number): StateRate => ({
  count: burst,
  perMs: burst * 10 * minuteMs,
  burst,
});

/** A job of the type `task` under a key of the limit `task`. */
export const under = (
  key: string,
  overrides: Partial<NewEntryJob> & { readonly cost?: number; readonly limitName?: string } = {},
): Partial<NewEntryJob> => {
  const { cost = 1, limitName = "task", ...others } = overrides;
  const limitKey: JobLimitKey = { limitName, key, cost };
  return { input: JSON.stringify(key), limitKey, ...others };
};

/** So many jobs under one key. */
export const manyUnder = (
  key: string,
  count: number,
  overrides: Parameters<typeof under>[1] = {},
): readonly Partial<NewEntryJob>[] => Array.from({ length: count }, () => under(key, overrides));

export const keysOf = ({ limitKeys }: AnyStateAdapter): LimitKeyStore => {
  if (limitKeys === undefined) throw new Error("The adapter has no `limitKeys`");
  return limitKeys;
};

export const setLimit = async (
  adapter: AnyStateAdapter,
  limit: Partial<StateLimit>,
): Promise<void> => {
  const whole = { name: "task", concurrency: null, rate: null, declaration: null, ...limit };
  await adapter.setLimits({ limits: [whole] });
};

/** Each key may have so many jobs at once. */
export const setPerKey = (adapter: AnyStateAdapter, concurrency: number): Promise<void> =>
  setLimit(adapter, { perKey: { concurrency, rate: null } });

export const acquireOf = (
  adapter: AnyStateAdapter,
  typeNames: readonly string[],
  options: { readonly limit?: number; readonly slots?: number; readonly leaseMs?: number } = {},
): Promise<AcquireJobsResult> => {
  const { limit = 100, leaseMs = minuteMs, slots } = options;
  const types = typeNames.map((typeName) => ({ typeName, leaseMs, limit }));
  return adapter.acquireJobs({ workerId: "worker-1", limit, slots, types });
};

/** The keys of acquired jobs, as their inputs name them, in order. */
export const keysTaken = ({ jobs }: Pick<AcquireJobsResult, "jobs">): readonly string[] =>
  jobs.map(({ job }) => job.input.slice(1, -1)).sort();
