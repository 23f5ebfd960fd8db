// The instrument table: name, unit, description and attributes. A test compares README.md, the dashboard and the alert
// rules with it.
import type { QueuertEventType } from "queuert";
import { metricAttribute as by } from "./attributes.ts";

export interface InstrumentDefinition {
  /** Without the prefix. */
  readonly name: string;
  /** UCUM; braces hold the counted thing. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
}

const define = (
  name: string,
  unit: string,
  description: string,
  ...attributes: readonly string[]
): InstrumentDefinition => ({ name, unit, description, attributes });

const { typeName, workerId, status, operation, outcome, willRetry, continued, errorType } = by;

/** One counter per event. */
export const counters: Readonly<Record<QueuertEventType, InstrumentDefinition>> = {
  workerStarted: define("worker.started", "{worker}", "Workers that began"),
  workerLacksConnections: define(
    "worker.lacks_connections",
    "{worker}",
    "Workers that began with more concurrency than connections",
  ),
  storeClockStepped: define(
    "store.clock_stepped",
    "{step}",
    "Times that the store's clock moved against a worker's",
  ),
  workerError: define("worker.error", "{error}", "Operations of workers that failed", errorType),
  workerStopping: define("worker.stopping", "{worker}", "Workers asked to stop"),
  workerStopDelayed: define(
    "worker.stop_delayed",
    "{report}",
    "Reports of workers that wait for running jobs while they stop",
  ),
  workerStopped: define("worker.stopped", "{worker}", "Workers that have stopped"),
  jobCreated: define("job.created", "{job}", "Jobs stored, continuations included", typeName),
  jobAttemptStarted: define("job.attempt.started", "{attempt}", "Attempts begun", typeName),
  jobAttemptTakenByAnotherWorker: define(
    "job.attempt.taken_by_another_worker",
    "{attempt}",
    "Attempts whose job another worker took",
    typeName,
  ),
  jobAttemptAlreadyCompleted: define(
    "job.attempt.already_completed",
    "{attempt}",
    "Attempts whose job was finished elsewhere",
    typeName,
  ),
  jobAttemptCancelled: define(
    "job.attempt.cancelled",
    "{attempt}",
    "Attempts whose job was cancelled",
    typeName,
  ),
  jobAttemptNotFound: define(
    "job.attempt.not_found",
    "{attempt}",
    "Attempts whose job was deleted",
    typeName,
  ),
  jobAttemptLeaseExpired: define(
    "job.attempt.lease_expired",
    "{attempt}",
    "Attempts whose lease ran out before it could be renewed",
    typeName,
  ),
  jobAttemptLeaseRenewed: define(
    "job.attempt.lease_renewed",
    "{renewal}",
    "Leases renewed",
    typeName,
  ),
  jobAttemptFailed: define(
    "job.attempt.failed",
    "{attempt}",
    "Attempts that failed",
    typeName,
    willRetry,
    errorType,
  ),
  jobAttemptRescheduled: define(
    "job.attempt.rescheduled",
    "{attempt}",
    "Attempts that asked to be run again later",
    typeName,
  ),
  jobAttemptCompleted: define(
    "job.attempt.completed",
    "{attempt}",
    "Attempts that completed their job",
    typeName,
    continued,
  ),
  jobHandedBack: define("job.handed_back", "{job}", "Jobs given back before they began", typeName),
  jobCompleted: define("job.completed", "{job}", "Jobs completed, by whomever", typeName),
  jobFailed: define("job.failed", "{job}", "Jobs that failed for good", typeName),
  jobCancelled: define("job.cancelled", "{job}", "Jobs cancelled", typeName),
  jobRetried: define("job.retried", "{job}", "Failed jobs made due again", typeName),
  jobReaped: define("job.reaped", "{job}", "Jobs taken back after their lease expired", typeName),
  jobBlocked: define("job.blocked", "{job}", "Jobs stored with blockers to wait for", typeName),
  jobUnblocked: define("job.unblocked", "{job}", "Jobs whose last blocker has completed", typeName),
  jobSequenceCreated: define(
    "job_sequence.created",
    "{sequence}",
    "Sequences started, blockers included",
    typeName,
  ),
  jobSequenceDeduplicated: define(
    "job_sequence.deduplicated",
    "{sequence}",
    "Starts that found their sequence there already",
    typeName,
  ),
  jobSequenceCompleted: define(
    "job_sequence.completed",
    "{sequence}",
    "Sequences completed",
    typeName,
  ),
  jobSequenceFailed: define("job_sequence.failed", "{sequence}", "Sequences that failed", typeName),
  jobTypesPaused: define("job_type.paused", "{pause}", "Pauses of job types"),
  jobTypesResumed: define("job_type.resumed", "{pause}", "Ends of pauses by an operator"),
  jobTypeNotImplemented: define(
    "job_type.not_implemented",
    "{name}",
    "Names of job types that are probably misspelt",
  ),
  jobSequencesDeleted: define("job.deleted", "{job}", "Jobs deleted with their trees"),
  scheduleTicked: define("schedule.tick", "{tick}", "Ticks of schedules", outcome),
  scheduleFailed: define("schedule.failed", "{failure}", "Firings of schedules that failed"),
  notifyContextAbsence: define(
    "notify_adapter.context_absence",
    "{call}",
    "Calls outside withNotify and transaction: workers find the work a little later",
    operation,
  ),
  notifyAdapterError: define(
    "notify_adapter.error",
    "{error}",
    "Calls of the notify adapter that failed",
    operation,
    errorType,
  ),
  stateAdapterError: define(
    "state_adapter.error",
    "{error}",
    "Calls of the state adapter that failed",
    operation,
    errorType,
  ),
  jobHeldTransaction: define(
    "job.held_transaction",
    "{attempt}",
    "Attempts that kept a transaction open for long",
    typeName,
  ),
};

export type HistogramName = "jobSequence" | "job" | "attempt" | "wait";

export const histograms: Readonly<Record<HistogramName, InstrumentDefinition>> = {
  jobSequence: define(
    "job_sequence.duration",
    "ms",
    "From the creation of a sequence to its completion",
    typeName,
  ),
  job: define("job.duration", "ms", "From the creation of a job to its completion", typeName),
  attempt: define(
    "job.attempt.duration",
    "ms",
    "From the beginning of an attempt to its stored outcome",
    typeName,
    outcome,
  ),
  wait: define("job.attempt.wait", "ms", "From when a job was due to its claim", typeName),
};

export type UpDownCounterName = "idle" | "processing";

export const upDownCounters: Readonly<Record<UpDownCounterName, InstrumentDefinition>> = {
  idle: define(
    "job_type.idle",
    "{slot}",
    "Slots of a worker that could take a job of this type",
    typeName,
    workerId,
  ),
  processing: define(
    "job_type.processing",
    "{attempt}",
    "Attempts of this type under way in a worker",
    typeName,
    workerId,
  ),
};

export type StateGaugeName =
  "observed" | "jobs" | "oldestReadyAge" | "blockedByFailed" | "expiredLeases" | "runningLong";

/** Of the store, not of this process: see `observeState`. */
export const stateGauges: Readonly<Record<StateGaugeName, InstrumentDefinition>> = {
  observed: define(
    "state.observed",
    "1",
    "1 in the process that has asked the store, 0 in the others: their other gauges are 0, too",
  ),
  jobs: define("state.jobs", "{job}", "Unfinished and failed jobs", typeName, status),
  oldestReadyAge: define(
    "state.oldest_ready_age",
    "ms",
    "For how long the oldest job that could run has been due",
    typeName,
  ),
  blockedByFailed: define(
    "state.blocked_by_failed",
    "{job}",
    "Blocked jobs at least one of whose blockers has failed",
  ),
  expiredLeases: define(
    "state.expired_leases",
    "{job}",
    "Running jobs whose lease has expired and that were not reclaimed yet",
  ),
  runningLong: define("state.running_long", "{job}", "Jobs that have been running for long"),
};

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** From milliseconds, for attempts, to weeks, for sequences that wait for people. */
export const durationBuckets: readonly number[] = [
  ...[1, 2, 5, 10, 25, 50, 100, 250, 500],
  ...[1, 2.5, 5, 10, 30].map((seconds) => seconds * secondMs),
  ...[1, 5, 15].map((minutes) => minutes * minuteMs),
  ...[1, 6].map((hours) => hours * hourMs),
  ...[1, 7, 30].map((days) => days * dayMs),
];
