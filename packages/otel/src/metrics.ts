// Events to instruments: one counter each, and for some a duration.
import type { Attributes, Histogram, Meter } from "@opentelemetry/api";
import type { ObservabilityAdapter, QueuertEventData, QueuertEventType } from "queuert";
import { metricAttribute as by } from "./attributes.ts";
import { createErrorTypes } from "./error-type.ts";
import {
  counters,
  durationBuckets,
  type HistogramName,
  histograms,
  type InstrumentDefinition,
  type UpDownCounterName,
  upDownCounters,
} from "./instruments.ts";
import { perKey, reportTotals, Totals } from "./running-totals.ts";

type EventMethods = {
  readonly [TType in QueuertEventType]: (data: QueuertEventData[TType]) => void;
};

/** The measuring methods of the adapter. */
export type MetricMethods = EventMethods &
  Required<Pick<ObservabilityAdapter, "jobTypeIdleChange" | "jobTypeProcessingChange">>;

const shared = new WeakMap<Meter, Map<string, MetricMethods>>();

/** Adapters of one meter and prefix count together: if two report the same series, the SDK keeps one. */
export const createMetrics = (meter: Meter, prefix: string): MetricMethods => {
  const known = shared.get(meter) ?? new Map<string, MetricMethods>();
  shared.set(meter, known);
  const methods = known.get(prefix) ?? createInstruments(meter, prefix);
  known.set(prefix, methods);
  return methods;
};

/** Creates every instrument. */
const createInstruments = (meter: Meter, prefix: string): MetricMethods => {
  const counts = mapValues(counters, () => new Totals());
  const gauges = mapValues(upDownCounters, () => new Totals());
  const durations = mapValues(histograms, ({ name, unit, description }) =>
    meter.createHistogram(`${prefix}.${name}`, {
      unit,
      description,
      advice: { explicitBucketBoundaries: [...durationBuckets] },
    }),
  );
  const observed = [
    ...Object.entries(counts).map(([type, totals]) => {
      const { name, unit, description } = counters[type as QueuertEventType];
      const options = { unit, description };
      return { totals, instrument: meter.createObservableCounter(`${prefix}.${name}`, options) };
    }),
    ...Object.entries(gauges).map(([key, totals]) => {
      const { name, unit, description } = upDownCounters[key as UpDownCounterName];
      const options = { unit, description };
      const instrument = meter.createObservableUpDownCounter(`${prefix}.${name}`, options);
      return { totals, instrument };
    }),
  ];
  reportTotals(meter, observed);
  return {
    ...countingMethods(counts),
    ...timingMethods(counts, durations),
    jobTypeIdleChange: gauging(gauges.idle),
    jobTypeProcessingChange: gauging(gauges.processing),
  };
};

type Counts = Readonly<Record<QueuertEventType, Totals>>;
type Durations = Readonly<Record<HistogramName, Histogram>>;

const mapValues = <TName extends string, TValue>(
  definitions: Readonly<Record<TName, InstrumentDefinition>>,
  make: (definition: InstrumentDefinition) => TValue,
): Record<TName, TValue> => {
  const entries = Object.entries<InstrumentDefinition>(definitions);
  // Same keys.
  return Object.fromEntries(entries.map(([key, definition]) => [key, make(definition)])) as Record<
    TName,
    TValue
  >;
};

const ofType = (typeName: string): Attributes => ({ [by.typeName]: typeName });

const counting = (totals: Totals): (() => void) => {
  const total = totals.series({});
  return () => void total.value++;
};

const countingByType = (totals: Totals): ((typeName: string) => void) => {
  const series = perKey((typeName: string) => totals.series(ofType(typeName)));
  return (typeName) => void series(typeName).value++;
};

/** By two or three attributes: one look-up each. */
const countingBy = (
  totals: Totals,
  one: string,
  other: string,
): ((oneValue: string, otherValue: string) => void) => {
  const series = perKey((oneValue: string) =>
    perKey((otherValue: string) => totals.series({ [one]: oneValue, [other]: otherValue })),
  );
  return (oneValue, otherValue) => void series(oneValue)(otherValue).value++;
};

const gauging = (totals: Totals): MetricMethods["jobTypeIdleChange"] => {
  const series = perKey((typeName: string) =>
    perKey((workerId: string) =>
      totals.series({ [by.typeName]: typeName, [by.workerId]: workerId }),
    ),
  );
  return ({ typeName, workerId, delta }) => {
    series(typeName)(workerId).value += delta;
  };
};

type Timed =
  | "jobAttemptStarted"
  | "jobAttemptFailed"
  | "jobAttemptRescheduled"
  | "jobAttemptCompleted"
  | "jobCompleted"
  | "jobSequenceCompleted";

/** Events that are only counted. */
const countingMethods = (counts: Counts): Omit<EventMethods, Timed> => {
  const errorType = createErrorTypes();
  const byType = (type: QueuertEventType): ((data: { readonly typeName: string }) => void) => {
    const count = countingByType(counts[type]);
    return ({ typeName }) => count(typeName);
  };
  const bySequenceType = (
    type: QueuertEventType,
  ): ((data: { readonly sequenceTypeName: string }) => void) => {
    const count = countingByType(counts[type]);
    return ({ sequenceTypeName }) => count(sequenceTypeName);
  };
  const byCall = (
    type: QueuertEventType,
  ): ((data: { readonly operation: string; readonly error: unknown }) => void) => {
    const count = countingBy(counts[type], by.operation, by.errorType);
    return ({ operation, error }) => count(operation, errorType(error));
  };
  const workerErrors = perKey((type: string) =>
    counts.workerError.series({ [by.errorType]: type }),
  );
  const deleted = counts.jobSequencesDeleted.series({});
  const ticks = perKey((outcome: string) =>
    counts.scheduleTicked.series({ [by.outcome]: outcome }),
  );
  const absence = perKey((operation: string) =>
    counts.notifyContextAbsence.series({ [by.operation]: operation }),
  );
  return {
    workerStarted: counting(counts.workerStarted),
    workerLacksConnections: counting(counts.workerLacksConnections),
    storeClockStepped: counting(counts.storeClockStepped),
    workerStopping: counting(counts.workerStopping),
    workerStopDelayed: counting(counts.workerStopDelayed),
    workerStopped: counting(counts.workerStopped),
    // Its operation is a sentence with ids and counts.
    workerError: ({ error }) => void workerErrors(errorType(error)).value++,
    jobCreated: byType("jobCreated"),
    jobAttemptTakenByAnotherWorker: byType("jobAttemptTakenByAnotherWorker"),
    jobAttemptAlreadyCompleted: byType("jobAttemptAlreadyCompleted"),
    jobAttemptCancelled: byType("jobAttemptCancelled"),
    jobAttemptNotFound: byType("jobAttemptNotFound"),
    jobAttemptLeaseExpired: byType("jobAttemptLeaseExpired"),
    jobAttemptLeaseRenewed: byType("jobAttemptLeaseRenewed"),
    jobHandedBack: byType("jobHandedBack"),
    jobFailed: byType("jobFailed"),
    jobCancelled: byType("jobCancelled"),
    jobRetried: byType("jobRetried"),
    jobReaped: byType("jobReaped"),
    jobBlocked: byType("jobBlocked"),
    jobUnblocked: byType("jobUnblocked"),
    jobHeldTransaction: byType("jobHeldTransaction"),
    jobSequenceCreated: bySequenceType("jobSequenceCreated"),
    jobSequenceDeduplicated: bySequenceType("jobSequenceDeduplicated"),
    jobSequenceFailed: bySequenceType("jobSequenceFailed"),
    jobTypesPaused: counting(counts.jobTypesPaused),
    jobTypesResumed: counting(counts.jobTypesResumed),
    jobTypeNotImplemented: counting(counts.jobTypeNotImplemented),
    jobSequencesDeleted: ({ jobCount }) => void (deleted.value += jobCount),
    scheduleTicked: ({ outcome }) => void ticks(outcome).value++,
    scheduleFailed: counting(counts.scheduleFailed),
    notifyContextAbsence: ({ operation }) => void absence(operation).value++,
    notifyAdapterError: byCall("notifyAdapterError"),
    stateAdapterError: byCall("stateAdapterError"),
  };
};

/** Events that also have a duration. */
const timingMethods = (counts: Counts, durations: Durations): Pick<EventMethods, Timed> => {
  const errorType = createErrorTypes();
  const timing = (
    totals: Totals,
    histogram: Histogram,
    others: Attributes = {},
    timedOthers: Attributes = others,
  ): ((typeName: string, ms: number) => void) => {
    const series = perKey((typeName: string) => ({
      total: totals.series({ ...ofType(typeName), ...others }),
      attributes: { ...ofType(typeName), ...timedOthers },
    }));
    return (typeName, ms) => {
      const { total, attributes } = series(typeName);
      total.value++;
      // Times of one job come from several transactions: a difference may be slightly negative.
      histogram.record(Math.max(0, ms), attributes);
    };
  };
  const { attempt } = durations;
  const outcome = (value: string): Attributes => ({ [by.outcome]: value });
  const completed = counts.jobAttemptCompleted;
  const ended = timing(completed, attempt, { [by.continued]: false }, outcome("completed"));
  const continued = timing(completed, attempt, { [by.continued]: true }, outcome("completed"));
  const rescheduled = timing(counts.jobAttemptRescheduled, attempt, {}, outcome("rescheduled"));
  const failed = perKey((type: string) =>
    perKey((willRetry: boolean) => {
      const attributes = { [by.willRetry]: willRetry, [by.errorType]: type };
      return timing(counts.jobAttemptFailed, attempt, attributes, outcome("failed"));
    }),
  );
  const started = timing(counts.jobAttemptStarted, durations.wait);
  const job = timing(counts.jobCompleted, durations.job);
  const sequence = timing(counts.jobSequenceCompleted, durations.jobSequence);
  return {
    jobAttemptStarted: ({ typeName, waitedMs }) => started(typeName, waitedMs),
    jobAttemptFailed: ({ typeName, error, willRetry, durationMs }) =>
      failed(errorType(error))(willRetry)(typeName, durationMs),
    jobAttemptRescheduled: ({ typeName, durationMs }) => rescheduled(typeName, durationMs),
    jobAttemptCompleted: ({ typeName, durationMs, continued: hasContinued }) =>
      (hasContinued ? continued : ended)(typeName, durationMs),
    jobCompleted: ({ typeName, durationMs }) => job(typeName, durationMs),
    jobSequenceCompleted: ({ sequenceTypeName, durationMs }) =>
      sequence(sequenceTypeName, durationMs),
  };
};
