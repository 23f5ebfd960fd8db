// The events and the span of an attempt. Its end is reported once it is stored, or once the job is known to be lost.
import type { LeaseLostReason } from "../adapters/state-adapter-params.ts";
import type { AttemptResult, ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { Engine } from "../engine.ts";
import type { StateJob } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";
import { observeStep } from "../observe/guarded-span.ts";
import { type Attempt, toLossError } from "./process-job/attempt.ts";

/** How long the process function took, by this worker's clock. */
export const attemptDurationMs = ({ clock }: Pick<Engine, "clock">, attempt: Attempt): number =>
  Math.max(0, clock.now() - attempt.startedAt);

export const emitStarted = (engine: Engine, attempt: Attempt): void => {
  if (!engine.observer.isWanted("jobAttemptStarted")) return;
  emitAbout(engine, attempt, "jobAttemptStarted", () => toStartedData(attempt));
};

/** By the store's clock alone: from when the job could have run to when it was acquired. */
const waitedMs = ({ job, acquired }: Attempt): number => {
  let readyAt = job.scheduledAt.getTime();
  // Until the last of its blockers had completed, the job was blocked: it did not wait for a worker.
  for (const { current } of acquired.blockers) {
    readyAt = Math.max(readyAt, current.finishedAt?.getTime() ?? 0);
  }
  return Math.max(0, (job.lastAttemptAt ?? job.scheduledAt).getTime() - readyAt);
};

/** Adds an attempt that has ended to the counts of its type. An attempt that no slot has run is not counted. */
export const countAttempt = (engine: Engine, attempt: Attempt): void => {
  const { statistics } = engine;
  if (statistics === null || attempt.startedAt === 0) return;
  const result = attempt.result ?? "abandoned";
  statistics.count(
    attempt.job.typeName,
    result,
    attemptDurationMs(engine, attempt),
    waitedMs(attempt),
  );
};

/** Field by field: spreading costs a microsecond, and every attempt has this event. */
const toStartedData = (attempt: Attempt): QueuertEventData["jobAttemptStarted"] => {
  const { data } = attempt;
  return {
    id: data.id,
    typeName: data.typeName,
    sequenceId: data.sequenceId,
    sequenceTypeName: data.sequenceTypeName,
    rootSequenceId: data.rootSequenceId,
    originId: data.originId,
    workerId: data.workerId,
    attempt: data.attempt,
    leaseVersion: data.leaseVersion,
    waitedMs: waitedMs(attempt),
  };
};

/** Emits an event of this attempt's: its log line carries the attempt's trace. */
export const emitAbout = <TType extends QueuertEventType>(
  { observer }: Pick<Engine, "observer">,
  attempt: Attempt,
  type: TType,
  data: () => QueuertEventData[TType],
): void => observer.emit(type, data, attempt.span);

/** The job is held by another attempt, finished, or deleted: reported once, and the signal is aborted. */
export const reportLost = (engine: Engine, attempt: Attempt, reason: LeaseLostReason): void => {
  const isReported = attempt.isLost;
  // A job that was taken may have been completed since: `complete` rejects with the latest reason.
  attempt.lossReason = reason;
  if (isReported) return;
  attempt.abort(reason);
  const types = {
    taken_by_another_worker: "jobAttemptTakenByAnotherWorker",
    already_completed: "jobAttemptAlreadyCompleted",
    cancelled: "jobAttemptCancelled",
    not_found: "jobAttemptNotFound",
    // Another worker acquires the job now, or has done so already.
    lease_expired: "jobAttemptTakenByAnotherWorker",
  } as const;
  attempt.result = "lost";
  emitAbout(engine, attempt, types[reason], () => attempt.data);
};

/** Queries whether these attempts have their jobs, and reports lost ones. Those that are over are left out. Never rejects. */
export const checkOwnership = async (
  engine: Engine,
  attempts: readonly Attempt[],
  isOverToo = false,
): Promise<void> => {
  if (attempts.length === 0) return;
  // A failed query needs no handling: the next renewal finds out.
  const jobs = await engine.state
    .getJobs({ ids: attempts.map(({ job }) => job.id) })
    .catch(() => null);
  if (jobs === null) return;
  attempts.forEach((attempt, index) => {
    if (isOverToo || !attempt.isOver) reportIfLost(engine, attempt, jobs[index]);
  });
};

const reportIfLost = (engine: Engine, attempt: Attempt, stored: StateJob | undefined): void => {
  if (stored === undefined) reportLost(engine, attempt, "not_found");
  else if (stored.status === "cancelled") reportLost(engine, attempt, "cancelled");
  else if (isFinished(stored.status)) reportLost(engine, attempt, "already_completed");
  else if (stored.leaseVersion !== attempt.job.leaseVersion || stored.status !== "running") {
    reportLost(engine, attempt, "taken_by_another_worker");
  }
};

/** An operation of the worker has failed; the worker continues. */
export const reportWorkerError = (
  engine: Engine,
  attempt: Attempt,
  operation: string,
  error: unknown,
): void =>
  emitAbout(engine, attempt, "workerError", () => ({
    workerId: attempt.workerId,
    typeNames: [attempt.job.typeName],
    operation: `${operation} (job ${attempt.job.id})`,
    error,
  }));

/**
 * Starts the span of an attempt, in the trace of its job and with links to the sequences it waited for. The span ends when
 * the outcome is stored, so that settling is within it.
 */
export const startAttemptSpan = ({ observer }: Engine, attempt: Attempt): void => {
  attempt.span = observer.startSpan(() => new AttemptDescription(attempt));
};

/** Its fields are made when they are read: an adapter that does not trace reads none. */
class AttemptDescription {
  readonly kind = "attempt";
  readonly #attempt: Attempt;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get job(): Attempt["data"] {
    return this.#attempt.data;
  }

  get traceContext(): string | null {
    return this.#attempt.job.traceContext;
  }

  get linkedTraceContexts(): readonly string[] {
    const { blockers } = this.#attempt.acquired;
    if (blockers.length === 0) return none;
    return blockers.flatMap(({ current }) => current.traceContext ?? []);
  }
}

/** Most jobs wait for no blocker. */
const none: readonly string[] = [];

const endsWell: ReadonlySet<AttemptResult> = new Set([
  "completed",
  "continued",
  "rescheduled",
  "cancelled",
]);

/** Ends the span with the attempt's result. Only the first call counts. */
export const endAttemptSpan = (attempt: Attempt): void => {
  const { span, result, error } = attempt;
  if (span === null) return;
  attempt.span = null;
  if (result !== null && endsWell.has(result)) {
    span.end({ kind: "ok", result });
  } else {
    span.end({
      kind: "error",
      error: error ?? toLossError(attempt),
      result: result ?? "abandoned",
    });
  }
};

/** An outcome that is to be stored. */
export interface Item {
  readonly attempt: Attempt;
}

/** A span around the statement that stores outcomes, for those of the attempts that are traced. */
export const observeSettle = <T>(
  engine: Engine,
  items: readonly Item[],
  store: () => Promise<T>,
): Promise<T> => {
  const spans: ObservabilitySpan[] = [];
  for (const { attempt } of items) if (attempt.span !== null) spans.push(attempt.span);
  if (spans.length === 0) return store();
  return observeStep(engine, () => ({ kind: "settle", attempts: spans }), store);
};
