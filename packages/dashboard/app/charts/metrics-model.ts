// Metrics as lines: buckets that the store left out are zero, or have no duration.
import type { MetricsAnswer } from "../../src/api-types.ts";
import type { PlotLine } from "./plot.ts";

type TypeMetrics = MetricsAnswer["types"][number];
type Bucket = TypeMetrics["buckets"][number];

/** The beginnings of all buckets that are over, in seconds. */
export const timesOf = ({ from, to, stepMs }: MetricsAnswer): readonly number[] => {
  const first = Date.parse(from) - (Date.parse(from) % stepMs);
  const count = Math.max(1, Math.floor((Date.parse(to) - first) / stepMs));
  return Array.from({ length: count }, (_, index) => (first + index * stepMs) / 1_000);
};

const lineOf = (
  { buckets }: TypeMetrics,
  times: readonly number[],
  valueOf: (bucket: Bucket) => number | null,
  otherwise: 0 | null,
): readonly (number | null)[] => {
  const byTime = new Map(buckets.map((bucket) => [Date.parse(bucket.at) / 1_000, bucket]));
  return times.map((time) => {
    const bucket = byTime.get(time);
    return bucket === undefined ? otherwise : valueOf(bucket);
  });
};

const sum = (lines: readonly (readonly (number | null)[])[], length: number): readonly number[] =>
  Array.from({ length }, (_, index) =>
    lines.reduce((total, line) => total + (line[index] ?? 0), 0),
  );

export const doneOf = ({ completed, continued }: Pick<Bucket, "completed" | "continued">): number =>
  completed + continued;

/** Attempts a minute, over all types of the report. */
export const countLines = (report: MetricsAnswer): readonly PlotLine[] => {
  const times = timesOf(report);
  const minutes = report.stepMs / 60_000;
  const all = (valueOf: (bucket: Bucket) => number): readonly number[] =>
    sum(
      report.types.map((type) => lineOf(type, times, (bucket) => valueOf(bucket) / minutes, 0)),
      times.length,
    );
  return [
    { label: "Done", colour: "--completed", values: all(doneOf), isFilled: true },
    { label: "Retried", colour: "--retrying", values: all(({ retried }) => retried) },
    { label: "Failed", colour: "--failed", values: all(({ failed }) => failed) },
  ];
};

/** Percentiles of one type. */
export const durationLines = (
  report: MetricsAnswer,
  kind: "runMs" | "waitMs",
): readonly PlotLine[] => {
  const times = timesOf(report);
  const [type] = report.types;
  const line = (name: "p50" | "p95" | "p99"): readonly (number | null)[] =>
    type === undefined
      ? times.map(() => null)
      : lineOf(type, times, (bucket) => atLeast1(bucket[kind]?.[name]), null);
  return [
    { label: "p50", colour: "--running", values: line("p50") },
    { label: "p95", colour: "--accent", values: line("p95") },
    { label: "p99", colour: "--blocked", values: line("p99") },
  ];
};

/** A logarithm has no zero. */
const atLeast1 = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.max(1, ms);

const typesMax = 5;
const colours = ["--running", "--blocked", "--completed", "--retrying", "--failed"] as const;

/** The 95th percentile of the types with the most attempts. */
export const busiestLines = (report: MetricsAnswer): readonly PlotLine[] => {
  const times = timesOf(report);
  return [...report.types]
    .sort((left, right) => doneOf(right.total) - doneOf(left.total))
    .slice(0, typesMax)
    .map((type, index) => ({
      label: type.typeName,
      colour: colours[index] ?? "--muted",
      values: lineOf(type, times, ({ runMs }) => atLeast1(runMs?.p95), null),
    }));
};

/** Done attempts of one type in each bucket, for a line without axes. */
export const sparkOf = (report: MetricsAnswer, typeName: string): readonly number[] => {
  const type = report.types.find((each) => each.typeName === typeName);
  const times = timesOf(report);
  if (type === undefined) return times.map(() => 0);
  return lineOf(type, times, doneOf, 0).map((value) => value ?? 0);
};
