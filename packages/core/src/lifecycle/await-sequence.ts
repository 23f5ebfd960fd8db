// Step 8 of the walk, awaited: listens before it queries, so that an end between the two is not missed. It polls as well, so
// that a lost notification costs the poll interval only.
import { defaults } from "../defaults.ts";
import { timerMs } from "../async/sleep.ts";
import { createDeferred } from "../async/deferred.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";
import {
  InvalidOptionError,
  JobNotFoundError,
  JobSequenceCancelledError,
  JobSequenceFailedError,
  QueuertClosedError,
  WaitForJobSequenceCompletionTimeoutError,
} from "../errors.ts";
import {
  assertDurationMs,
  assertName,
  assertObject,
  assertPositiveMs,
} from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { withoutEntityFields } from "../model/entity-fields.ts";
import { cancelReasonOf } from "../model/job.ts";
import type { StateSequence } from "../model/state-job.ts";
import { type CompletedJobSequence, toJobSequence } from "../model/sequence.ts";
import { observeStep } from "../observe/guarded-span.ts";

export interface AwaitOptions {
  readonly id: string;
  readonly typeName: string;
  readonly timeoutMs: number;
  readonly pollIntervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const optionNames = ["id", "typeName", "timeoutMs", "pollIntervalMs", "signal"];

/** How long a result waits for the end of its subscription. */
const unlistenMs = 100;

/** Resolves with the completed sequence; rejects when it failed, is not there, or the time is up. */
export const awaitSequence = async (
  engine: Engine,
  options: AwaitOptions,
): Promise<CompletedJobSequence> => {
  assertObject(options, "options");
  assertKnownOptions(withoutEntityFields(options, optionNames) as object, optionNames);
  const { id, typeName, timeoutMs, signal } = options;
  const { pollIntervalMs = defaults.waitPollIntervalMs } = options;
  assertName(id, "id");
  assertDurationMs(timeoutMs, "timeoutMs");
  assertPositiveMs(pollIntervalMs, "pollIntervalMs");
  assertSignal(signal);
  signal?.throwIfAborted();
  return observeStep(
    engine,
    () => ({ kind: "awaitSequence", sequenceId: id, typeName }),
    () => untilEnded(engine, options, pollIntervalMs),
  );
};

// Not `instanceof`: those of another realm, or of a polyfill, will do.
const assertSignal = (signal: unknown): void => {
  if (signal === undefined) return;
  const { throwIfAborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (typeof throwIfAborted === "function" && typeof addEventListener === "function") return;
  throw new InvalidOptionError("signal", signal, "give an AbortSignal");
};

const untilEnded = async (
  engine: Engine,
  { id, typeName, timeoutMs, signal }: AwaitOptions,
  pollIntervalMs: number,
): Promise<CompletedJobSequence> => {
  const ended = createDeferred<CompletedJobSequence>();
  const onSequence = (sequence: StateSequence | undefined): void => {
    try {
      const completed = toCompleted(engine, id, typeName, sequence);
      if (completed !== null) ended.resolve(completed);
    } catch (error) {
      ended.reject(error);
    }
  };
  const onAbort = (): void => ended.reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = engine.clock.setTimeout(() => {
    ended.reject(new WaitForJobSequenceCompletionTimeoutError(id, timeoutMs));
  }, timerMs(timeoutMs));
  const onClosed = (): void => ended.reject(new QueuertClosedError("waitForJobSequenceCompletion"));
  const watch = { sequenceId: id, pollIntervalMs, onSequence, onClosed };
  const unwatch = engine.sequencePoller.watch(watch);
  // Never rejects: a notify adapter that cannot listen is reported by its wrapper.
  const listening = engine.remoteWaiters.listenFor(id, () => engine.sequencePoller.notified(id));
  try {
    void listening.then(() => engine.sequencePoller.query(id));
    return await ended.promise;
  } finally {
    unwatch();
    engine.clock.clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    // A server that does not respond must not delay the result. Errors are reported by the wrapping.
    await settleOrTimeout(
      engine.clock,
      listening.then((stop) => stop()),
      unlistenMs,
    );
  }
};

const toCompleted = (
  { codec }: Engine,
  id: string,
  typeName: string,
  sequence: StateSequence | undefined,
): CompletedJobSequence | null => {
  if (sequence === undefined) throw new JobNotFoundError(id);
  assertSequenceType(sequence, typeName);
  const { current } = sequence;
  if (current.status === "failed") {
    throw new JobSequenceFailedError(id, current.id, current.lastAttemptError ?? "");
  }
  if (current.status === "cancelled") {
    throw new JobSequenceCancelledError(id, current.id, cancelReasonOf(current));
  }
  const publicSequence = toJobSequence(codec, sequence);
  return publicSequence.status === "completed" ? publicSequence : null;
};

/** The given type name decides the type of the result: a wrong one must not pass. */
export const assertSequenceType = (
  { first }: StateSequence,
  typeName: string | undefined,
): void => {
  if (typeName === undefined || first.typeName === typeName) return;
  throw new InvalidOptionError(
    "typeName",
    typeName,
    `sequence ${first.id} starts with job type "${first.typeName}"; give that`,
  );
};
