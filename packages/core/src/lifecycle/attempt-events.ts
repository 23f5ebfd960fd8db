// What is said about an attempt's end, once it is stored (or known to be somebody else's).
import type { LeaseLostReason } from "../adapters/state-adapter-params.ts";
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { Engine } from "../engine.ts";
import type { Attempt } from "./process-job/attempt.ts";

/** How long the process function took, by this worker's clock. */
export const attemptDurationMs = ({ clock }: Pick<Engine, "clock">, attempt: Attempt): number =>
  Math.max(0, clock.now() - attempt.startedAt);

/** Field by field, as is `toCompletedData`: spreading costs a microsecond, and every attempt has both of them. */
export const toStartedData = (
  { data }: Attempt,
  waitedMs: number,
): QueuertEventData["jobAttemptStarted"] => ({
  id: data.id,
  typeName: data.typeName,
  sequenceId: data.sequenceId,
  sequenceTypeName: data.sequenceTypeName,
  rootSequenceId: data.rootSequenceId,
  originId: data.originId,
  workerId: data.workerId,
  attempt: data.attempt,
  leaseVersion: data.leaseVersion,
  waitedMs,
});

export const toCompletedData = (
  { data }: Attempt,
  continued: boolean,
  durationMs: number,
): QueuertEventData["jobAttemptCompleted"] => ({
  id: data.id,
  typeName: data.typeName,
  sequenceId: data.sequenceId,
  sequenceTypeName: data.sequenceTypeName,
  rootSequenceId: data.rootSequenceId,
  originId: data.originId,
  workerId: data.workerId,
  attempt: data.attempt,
  leaseVersion: data.leaseVersion,
  continued,
  durationMs,
});

/** Emits an event of this attempt's: its log line carries the attempt's trace. */
export const emitAbout = <TType extends QueuertEventType>(
  { observer }: Pick<Engine, "observer">,
  attempt: Attempt,
  type: TType,
  data: () => QueuertEventData[TType],
): void => observer.emit(type, data, attempt.span);

/** The job is somebody else's, finished, or gone: said once, and told to the process function. */
export const reportLost = (engine: Engine, attempt: Attempt, reason: LeaseLostReason): void => {
  if (attempt.isLossReported) return;
  attempt.isLossReported = true;
  attempt.abort(reason);
  const types = {
    taken_by_another_worker: "jobAttemptTakenByAnotherWorker",
    already_completed: "jobAttemptAlreadyCompleted",
    not_found: "jobAttemptNotFound",
  } as const;
  attempt.result = "lost";
  emitAbout(engine, attempt, types[reason], () => attempt.data);
};

/** Something the worker could not do; it goes on. */
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
