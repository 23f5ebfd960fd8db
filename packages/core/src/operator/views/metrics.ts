// The history of attempts by type: counts, and percentiles from histograms.
import {
  type MetricCounts,
  metricStepsMs,
  type StoredMetric,
} from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { addCounts, bucketMs } from "../../observe/statistics.ts";

/** Counts of a time. */
export interface MetricValues {
  /** Attempts that ended their sequence. */
  readonly completed: number;
  /** Attempts that went on with the next job of their sequence. */
  readonly continued: number;
  readonly failed: number;
  /** Attempts with an error that are followed by another one. */
  readonly retried: number;
  readonly rescheduled: number;
  readonly cancelled: number;
  /** Attempts whose job belonged to another worker at the end, or whose outcome could not be stored. */
  readonly lost: number;
  /** How long process functions ran. Null: none did. */
  readonly runMs: Percentiles | null;
  /** How long jobs were due before they were acquired. Null: none was. */
  readonly waitMs: Percentiles | null;
}

/** From a histogram whose bounds grow by the square root of 2. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
}

/** The attempts of one span of time. */
export interface MetricBucket extends MetricValues {
  /** When it began, by the store's clock. */
  readonly at: Date;
}

/** The attempts of one job type. */
export interface TypeMetrics {
  readonly typeName: string;
  /** Of the whole period. */
  readonly total: MetricValues;
  /** The oldest first. A time in which no attempt ended is left out. */
  readonly buckets: readonly MetricBucket[];
}

/** The history of a period. */
export interface MetricsReport {
  /** The store's clock. */
  readonly at: Date;
  readonly from: Date;
  readonly to: Date;
  /** The length of a bucket. */
  readonly stepMs: number;
  readonly types: readonly TypeMetrics[];
}

const [minuteMs, hourMs] = metricStepsMs;

/** Minutes for three hours, ten of them for a day, and else hours. */
export const stepOf = (spanMs: number): number => {
  if (spanMs <= 3 * hourMs) return minuteMs;
  return spanMs <= 24 * hourMs ? 10 * minuteMs : hourMs;
};

export const readMetrics = async (
  { operator }: AnyStateAdapter,
  from: Date,
  to: Date,
  typeNames: readonly string[] | null,
): Promise<readonly TypeMetrics[]> => {
  const stepMs = stepOf(to.getTime() - from.getTime());
  const params = { stepMs: stepMs === hourMs ? hourMs : minuteMs, from, to, typeNames };
  return toTypes((await operator?.listMetrics?.(params)) ?? [], stepMs);
};

const toTypes = (metrics: readonly StoredMetric[], stepMs: number): readonly TypeMetrics[] => {
  const types = new Map<string, Map<number, Record<string, number>>>();
  for (const { typeName, at, counts } of metrics) {
    const buckets = types.get(typeName) ?? new Map<number, Record<string, number>>();
    types.set(typeName, buckets);
    const time = at.getTime() - (at.getTime() % stepMs);
    const sum = buckets.get(time) ?? {};
    addCounts(sum, counts);
    buckets.set(time, sum);
  }
  return [...types]
    .map(([typeName, buckets]) => {
      const total: Record<string, number> = {};
      for (const counts of buckets.values()) addCounts(total, counts);
      return {
        typeName,
        total: toValues(total),
        buckets: [...buckets]
          .sort(([left], [right]) => left - right)
          .map(([time, counts]) => ({ at: new Date(time), ...toValues(counts) })),
      };
    })
    .sort((left, right) => (left.typeName < right.typeName ? -1 : 1));
};

const toValues = (counts: MetricCounts): MetricValues => {
  const of = (name: string): number => counts[name] ?? 0;
  return {
    completed: of("completed"),
    continued: of("continued"),
    failed: of("failed"),
    retried: of("retried"),
    rescheduled: of("rescheduled"),
    cancelled: of("cancelled"),
    lost: of("lost") + of("abandoned"),
    runMs: toPercentiles(counts, "run"),
    waitMs: toPercentiles(counts, "wait"),
  };
};

const toPercentiles = (counts: MetricCounts, kind: "run" | "wait"): Percentiles | null => {
  const histogram: (readonly [bucket: number, count: number])[] = [];
  for (const [name, count] of Object.entries(counts)) {
    const [, bucket] = new RegExp(`^${kind}(\\d+)$`).exec(name) ?? [];
    if (bucket !== undefined) histogram.push([Number(bucket), count]);
  }
  const total = histogram.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  histogram.sort(([left], [right]) => left - right);
  const at = (share: number): number => percentile(histogram, total * share);
  const mean = (counts[`${kind}Ms`] ?? 0) / total;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), mean: Math.round(mean) };
};

/** Between the bounds of a bucket, durations are taken to be spread evenly. */
const percentile = (
  histogram: readonly (readonly [bucket: number, count: number])[],
  rank: number,
): number => {
  let before = 0;
  for (const [bucket, count] of histogram) {
    if (before + count >= rank) {
      const least = bucket === 0 ? 0 : bucketMs(bucket - 1);
      const share = (rank - before) / count;
      return Math.round(least + (bucketMs(bucket) - least) * share);
    }
    before += count;
  }
  return 0;
};

/** Attempts that ended their job, each minute. */
export const donePerMinute = (
  { completed, continued, failed }: MetricValues,
  spanMs: number,
): number => ((completed + continued + failed) * minuteMs) / spanMs;
