// Counts of attempts, kept in memory until the next report of the process. The end of an attempt adds a few numbers: no event,
// no object and no statement.
import type { MetricCounts, MetricEntry } from "../adapters/operator-store.ts";
import type { AttemptResult } from "../adapters/observability-adapter.ts";

/** Bounds of the histogram grow by the square root of 2, from 1 ms. */
const bucketCount = 64;

/** The bucket of a duration. */
export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(bucketCount - 1, Math.ceil(2 * Math.log2(ms)));

/** The longest duration of a bucket, in milliseconds. */
export const bucketMs = (bucket: number): number => 2 ** (bucket / 2);

class TypeStatistics {
  readonly results = new Map<AttemptResult, number>();
  readonly run = new Uint32Array(bucketCount);
  readonly wait = new Uint32Array(bucketCount);
  runMs = 0;
  waitMs = 0;

  toCounts(): Record<string, number> {
    const counts: Record<string, number> = Object.fromEntries(this.results);
    counts["runMs"] = Math.round(this.runMs);
    counts["waitMs"] = Math.round(this.waitMs);
    this.run.forEach((count, bucket) => {
      if (count > 0) counts[`run${bucket}`] = count;
    });
    this.wait.forEach((count, bucket) => {
      if (count > 0) counts[`wait${bucket}`] = count;
    });
    return counts;
  }
}

const increment = (histogram: Uint32Array, bucket: number): void => {
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
};

/** The counts of one client. */
export class Statistics {
  #types = new Map<string, TypeStatistics>();
  #returned: readonly MetricEntry[] = [];

  /** An attempt has ended. */
  count(typeName: string, result: AttemptResult, runMs: number, waitMs: number): void {
    let type = this.#types.get(typeName);
    if (type === undefined) this.#types.set(typeName, (type = new TypeStatistics()));
    type.results.set(result, (type.results.get(result) ?? 0) + 1);
    type.runMs += runMs;
    type.waitMs += waitMs;
    increment(type.run, bucketOf(runMs));
    increment(type.wait, bucketOf(waitMs));
  }

  /** The counts since the last call, each type once. */
  take(): readonly MetricEntry[] {
    const counted = [...this.#types].map(([typeName, type]) => ({
      typeName,
      counts: type.toCounts(),
    }));
    const taken = addEntries([...this.#returned, ...counted]);
    this.#types = new Map();
    this.#returned = [];
    return taken;
  }

  /** They were not stored: the next report has them. */
  putBack(entries: readonly MetricEntry[]): void {
    this.#returned = addEntries([...this.#returned, ...entries]);
  }
}

/** Adds counts by type and by name. */
export const addEntries = (entries: readonly MetricEntry[]): readonly MetricEntry[] => {
  const sums = new Map<string, Record<string, number>>();
  for (const { typeName, counts } of entries) {
    const sum = sums.get(typeName) ?? {};
    addCounts(sum, counts);
    sums.set(typeName, sum);
  }
  return [...sums].map(([typeName, counts]) => ({ typeName, counts }));
};

/** Adds counts by name. */
export const addCounts = (sum: Record<string, number>, counts: MetricCounts): void => {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
};
