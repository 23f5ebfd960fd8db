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
import type { Clock, TimerHandle } from "../async/clock.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { isFinished } from "../model/status.ts";

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

// Queries all sequences that are awaited in this process with one statement per round.
// Notifications come from other processes and can be forged. An id that this process does not await is dropped. After a
// query that found no sequence ended, further notifications wait for a moment.

export interface SequenceWatch {
  readonly sequenceId: string;
  readonly pollIntervalMs: number;
  /** The sequence as it is stored, or undefined if it is not there; called until `unwatch`. */
  readonly onSequence: (sequence: StateSequence | undefined) => void;
  /** The poller is closed: there are no more queries. */
  readonly onClosed: () => void;
}

/** The pause for notifications after a query on their account that found no sequence ended. */
const fruitlessPauseMs = 25;

/** `state` reports its own errors; a failed query is repeated with the next round. */
export class SequencePoller {
  readonly #state: Pick<AnyStateAdapter, "getSequences">;
  readonly #clock: Clock;
  readonly #watches = new Map<string, Set<SequenceWatch>>();
  #wantedIds = new Set<string>();
  readonly #notifiedIds = new Set<string>();
  #isQuerying = false;
  #timer: TimerHandle | null = null;
  #dueAt = 0;
  #pause: TimerHandle | null = null;

  constructor(state: Pick<AnyStateAdapter, "getSequences">, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Returns how to stop. */
  watch(watch: SequenceWatch): () => void {
    const { sequenceId } = watch;
    const set = this.#watches.get(sequenceId) ?? new Set();
    this.#watches.set(sequenceId, set.add(watch));
    // A shorter interval than all before must not wait for their next round.
    if (this.#clock.now() + watch.pollIntervalMs < this.#dueAt) this.#stopTimer();
    this.#schedule();
    return () => {
      set.delete(watch);
      if (set.size === 0 && this.#watches.get(sequenceId) === set) this.#watches.delete(sequenceId);
      if (this.#watches.size === 0) this.#stop();
    };
  }

  /** Queries this sequence now, together with all others that are requested in the same turn. */
  query(sequenceId: string): void {
    this.#wantedIds.add(sequenceId);
    if (!this.#isQuerying) void this.#queryWanted();
  }

  /** A notification names this sequence. */
  notified(sequenceId: string): void {
    if (!this.#watches.has(sequenceId)) return;
    this.#notifiedIds.add(sequenceId);
    if (this.#pause === null) this.query(sequenceId);
  }

  close(): void {
    this.#stop();
    const closed = [...this.#watches.values()].flatMap((set) => [...set]);
    this.#watches.clear();
    for (const { onClosed } of closed) onClosed();
  }

  async #queryWanted(): Promise<void> {
    this.#isQuerying = true;
    await Promise.resolve();
    while (this.#wantedIds.size > 0) {
      const ids = [...this.#wantedIds].filter((id) => this.#watches.has(id));
      this.#wantedIds = new Set();
      if (ids.length === 0) break;
      const notifiedCount = ids.filter((id) => this.#notifiedIds.delete(id)).length;
      const found = await this.#state.getSequences({ ids }).catch(() => null);
      if (found === null) break;
      ids.forEach((id, index) => {
        for (const { onSequence } of this.#watches.get(id) ?? []) onSequence(found[index]);
      });
      if (notifiedCount > 0 && !found.some(hasEnded)) this.#pauseNotifications();
    }
    this.#isQuerying = false;
  }

  #pauseNotifications(): void {
    if (this.#watches.size === 0) return;
    this.#pause ??= this.#clock.setTimeout(() => {
      this.#pause = null;
      for (const id of this.#notifiedIds) this.query(id);
    }, fruitlessPauseMs);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#watches.size === 0) return;
    let intervalMs = Infinity;
    for (const set of this.#watches.values()) {
      for (const { pollIntervalMs } of set) intervalMs = Math.min(intervalMs, pollIntervalMs);
    }
    this.#dueAt = this.#clock.now() + intervalMs;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      for (const id of this.#watches.keys()) this.query(id);
      this.#schedule();
    }, timerMs(intervalMs));
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #stop(): void {
    this.#stopTimer();
    if (this.#pause !== null) this.#clock.clearTimeout(this.#pause);
    this.#pause = null;
    this.#notifiedIds.clear();
  }
}

/** A sequence that is not there has ended for its waiters. */
const hasEnded = (sequence: StateSequence | undefined): boolean =>
  sequence === undefined || isFinished(sequence.current.status);
