// The measurements of a soak, and their summary.
import type { StoreSize } from "../stores/store.ts";

export interface Sample extends StoreSize {
  /** Since the soak began. */
  readonly atMs: number;
  /** Since the sample before. */
  readonly started: number;
  readonly completed: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Of all processes together, after a garbage collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly connections: number | null;
}

export interface SoakSummary {
  readonly minutes: number;
  readonly started: number;
  readonly completed: number;
  readonly heapBytesPerHour: number;
  readonly storedBytesPerHour: number;
  /** In milliseconds: after a third of the time, and at the end. */
  readonly p99: readonly [early: number, late: number];
}

/** Of numbers in ascending order; 0 for none. */
export const percentile = (ascending: readonly number[], share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;

/** The slope of the straight line that fits best. */
export const perHour = (samples: readonly Sample[], of: (sample: Sample) => number): number => {
  const mean = (numbers: readonly number[]): number =>
    numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const meanAt = mean(samples.map(({ atMs }) => atMs));
  const meanValue = mean(samples.map(of));
  const spread = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  const together = samples.reduce(
    (sum, one) => sum + (one.atMs - meanAt) * (of(one) - meanValue),
    0,
  );
  return spread === 0 ? 0 : (together / spread) * 3_600_000;
};
