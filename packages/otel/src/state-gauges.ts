import type { Attributes, BatchObservableResult, Meter, ObservableGauge } from "@opentelemetry/api";
import type { StateSummary } from "queuert";
import { metricAttribute as by } from "./attributes.ts";
import { type StateGaugeName, stateGauges } from "./instruments.ts";

export interface StateGauges {
  /** The values for the SDK; null: this process has none. */
  report(summary: StateSummary | null): void;
}

/**
 * A reported series becomes 0 when its value is gone: the SDK would repeat the last value for ever. So the sum and the
 * maximum over all processes are both the values of the observing process.
 */
interface Seen {
  readonly jobs: Map<string, Attributes>;
  readonly ready: Set<string>;
}

export const createStateGauges = (meter: Meter, prefix: string): StateGauges => {
  const gauges = createGauges(meter, prefix);
  const seen: Seen = { jobs: new Map(), ready: new Set() };
  let latest: StateSummary | null = null;
  const observe = (result: BatchObservableResult): void => {
    result.observe(gauges.observed, latest === null ? 0 : 1);
    observeSummary(result, gauges, latest ?? unknown, seen);
  };
  const observed = Object.values(gauges);
  meter.addBatchObservableCallback(observe, observed);
  return {
    report: (summary) => {
      latest = summary;
    },
  };
};

const unknown: StateSummary = {
  counts: [],
  oldestReady: [],
  blockedByFailedCount: 0,
  expiredLeaseCount: 0,
  runningLongCount: 0,
};

type Gauges = Readonly<Record<StateGaugeName, ObservableGauge>>;

const createGauges = (meter: Meter, prefix: string): Gauges => {
  const create = (key: StateGaugeName): ObservableGauge => {
    const { name, unit, description } = stateGauges[key];
    return meter.createObservableGauge(`${prefix}.${name}`, { unit, description });
  };
  return {
    observed: create("observed"),
    jobs: create("jobs"),
    oldestReadyAge: create("oldestReadyAge"),
    blockedByFailed: create("blockedByFailed"),
    expiredLeases: create("expiredLeases"),
    runningLong: create("runningLong"),
  };
};

const observeSummary = (
  result: BatchObservableResult,
  gauges: Gauges,
  summary: StateSummary,
  seen: Seen,
): void => {
  const counts = new Map<string, number>();
  for (const { typeName, status, count } of summary.counts) {
    const key = `${status}/${typeName}`;
    counts.set(key, count);
    if (!seen.jobs.has(key)) seen.jobs.set(key, { [by.typeName]: typeName, [by.status]: status });
  }
  for (const [key, attributes] of seen.jobs) {
    result.observe(gauges.jobs, counts.get(key) ?? 0, attributes);
  }
  const ages = new Map(summary.oldestReady.map(({ typeName, ageMs }) => [typeName, ageMs]));
  for (const typeName of ages.keys()) seen.ready.add(typeName);
  for (const typeName of seen.ready) {
    result.observe(gauges.oldestReadyAge, ages.get(typeName) ?? 0, { [by.typeName]: typeName });
  }
  result.observe(gauges.blockedByFailed, summary.blockedByFailedCount);
  result.observe(gauges.expiredLeases, summary.expiredLeaseCount);
  result.observe(gauges.runningLong, summary.runningLongCount);
};
