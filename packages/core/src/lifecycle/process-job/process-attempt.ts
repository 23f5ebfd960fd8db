// Step 5 of the walk, processed: one attempt, from its beginning in a slot to its outcome.
//
//   begin ─▶ payload readable? ─▶ timeout ─▶ span ─▶ middleware ─▶ process function ─▶ outcome ─▶ transaction left
//
// Never rejects: an error in here becomes an outcome, and the worker settles it. Chained: with `async`, every job would have
// two promises more, and they are expensive where async contexts are tracked.
import { timerMs } from "../../async/sleep.ts";
import type { Engine } from "../../engine.ts";
import { JobTimeoutError, ProcessMisuseError, UnrecoverableJobError } from "../../errors.ts";
import { type Job, toJob } from "../../model/job.ts";
import { toEndedSequences } from "../../model/sequence.ts";
import type { WriteAttemptLog, WriteProgress } from "../../public-types/attempt-log.ts";
import type { Completion } from "../../public-types/process.ts";
import type { MiddlewareContext } from "../../public-types/worker.ts";
import { emitStarted, startAttemptSpan } from "../attempt-events.ts";
import { ignoredLog, ignoredProgress } from "../log-writer.ts";
import { type Attempt, CompletionToken } from "./attempt.ts";
import { type AfterCommit, createAfterCommit } from "./after-commit.ts";
import { type Complete, createComplete } from "./complete.ts";
import { type Outcome, toUsedUp } from "./decide-failure.ts";
import { createPrepare, type Prepare } from "./prepare.ts";

/**
 * Runs the user's code, then `settle` with its outcome, and resolves with the result. A transaction that the code has opened is
 * left open for the outcome `held` only.
 */
export const processAttempt = <T>(
  engine: Engine,
  attempt: Attempt,
  settle: (outcome: Outcome) => T | Promise<T>,
): Promise<T> => {
  attempt.startedAt = engine.clock.now();
  startAttemptSpan(engine, attempt);
  emitStarted(engine, attempt);
  const usedUp = toUsedUp(attempt);
  if (usedUp !== null) return Promise.resolve(usedUp).then(settle);
  const whenEnded = (outcome: Outcome | Promise<Outcome>): T | Promise<T> =>
    outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
  return callUserCode(engine, attempt).then(
    (token) => whenEnded(conclude(attempt, token)),
    (error: unknown) => whenEnded(endAttempt(attempt, { kind: "threw", error })),
  );
};

/** A synchronous error is a rejection, and the result a promise. */
const callUserCode = (engine: Engine, attempt: Attempt): Promise<unknown> => {
  try {
    const context = new ProcessContext(engine, attempt);
    assertReadable(context);
    const { timeoutMs } = attempt.processor;
    if (timeoutMs === null) return Promise.resolve(runInSpan(context));
    return runWithTimeout(engine, attempt, timeoutMs, async () => runInSpan(context));
  } catch (error) {
    return Promise.reject(error as Error);
  }
};

/**
 * A stored payload that is not JSON was not written by this library, and no attempt can mend it. One that a schema refuses may
 * be read by the next deployment: the attempt fails, and is retried.
 */
const assertReadable = (context: ProcessContext): void => {
  const { unreadable } = context.attempt.acquired;
  if (unreadable !== undefined) throw unreadable;
  try {
    void context.job;
  } catch (error) {
    // The codec of the next deployment may read it.
    if (context.engine.codec !== null) throw error;
    throw new UnrecoverableJobError("The stored payload cannot be read", { cause: error });
  }
};

/**
 * Cooperative first: the signal is aborted. From then on the attempt has failed, and its process function is no longer
 * awaited. Code inside its transaction is awaited all the same, since a transaction cannot be taken from under it.
 */
const runWithTimeout = async (
  engine: Engine,
  attempt: Attempt,
  timeoutMs: number,
  run: () => Promise<unknown>,
): Promise<unknown> => {
  const timedOut = (): JobTimeoutError => new JobTimeoutError(attempt.job.id, timeoutMs);
  let timer: unknown;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = engine.clock.setTimeout(() => {
      attempt.abort("timeout");
      attempt.isOver = true;
      reject(timedOut());
    }, timerMs(timeoutMs));
  });
  const running = run();
  try {
    const result = await Promise.race([running, timeout]);
    if (attempt.isOver) throw timedOut();
    return result;
  } finally {
    engine.clock.clearTimeout(timer);
    // A later error of an abandoned process function has no reader.
    running.catch(() => undefined);
  }
};

const runInSpan = (context: ProcessContext): Promise<unknown> => {
  const { span } = context.attempt;
  return span === null ? runMiddleware(context, 0) : span.run(() => runMiddleware(context, 0));
};

/** The first middleware is the outermost; the process function is the innermost of all. */
const runMiddleware = (context: ProcessContext, index: number): Promise<Completion> => {
  const { attempt } = context;
  const middleware = attempt.processor.middleware[index];
  if (middleware === undefined) return callProcess(context);
  return middleware(context.about, () => runMiddleware(context, index + 1));
};

const callProcess = (context: ProcessContext): Promise<Completion> => {
  const { process } = context.attempt.processor;
  try {
    const result = process(context);
    context.closePrepare();
    return result;
  } catch (error) {
    return Promise.reject(error as Error);
  }
};

/** The process function has returned. A prepare that it did not await belongs to the attempt: its transaction is awaited. */
const conclude = (attempt: Attempt, token: unknown): Outcome | Promise<Outcome> => {
  const { opening, transaction } = attempt;
  const endWithToken = (): Outcome | Promise<Outcome> =>
    endAttempt(attempt, toOutcome(attempt, token));
  const isOpening = opening !== null && transaction === null && token instanceof CompletionToken;
  return isOpening ? opening.then(endWithToken, endWithToken) : endWithToken();
};

const toOutcome = (attempt: Attempt, token: unknown): Outcome => {
  const { broken, transaction } = attempt;
  if (!(token instanceof CompletionToken) || token.attempt !== attempt) {
    const error = new ProcessMisuseError(
      `The process function of "${attempt.job.typeName}" must return the result of complete`,
      // The error of a callback that was not awaited has no other reader.
      broken === null ? undefined : { cause: broken.error },
    );
    return { kind: "threw", error };
  }
  if (broken !== null) return { kind: "threw", error: broken.error };
  const { outcome } = token;
  return transaction === null ? { kind: "value", outcome } : { kind: "held", outcome, transaction };
};

/** The outcome is decided. A transaction is left open for the outcome `held` only. */
const endAttempt = (attempt: Attempt, outcome: Outcome): Outcome | Promise<Outcome> => {
  attempt.isOver = true;
  if (outcome.kind === "held") return leaveHeld(attempt, outcome);
  const isInside = attempt.batch === null && attempt.isInTransaction;
  return isInside ? endTransaction(attempt).then(() => outcome) : outcome;
};

/** A callback that was not awaited is awaited here: its writes belong to the commit, and its error prevents it. */
const leaveHeld = async (attempt: Attempt, outcome: Outcome): Promise<Outcome> => {
  await attempt.leaveTransaction();
  const { broken } = attempt;
  if (broken === null) return outcome;
  await endTransaction(attempt);
  return { kind: "threw", error: broken.error };
};

/** Rolls back, once no user code is inside any more. */
const endTransaction = async (attempt: Attempt): Promise<void> => {
  await attempt.leaveTransaction();
  await attempt.transaction?.rollback();
  attempt.transaction = null;
};

/**
 * The argument of a process function. Its members are made when first used: most functions need two of them only.
 *
 * The mode follows from the calls. Staged needs nothing of the store, since the acquisition has committed already:
 *   prepare({ mode: "atomic" })  transaction opens here and stays open until the outcome
 *   prepare({ mode: "staged" })  its callback has a transaction of its own, then none until complete
 *   complete(callback) first     atomic: the callback's transaction is the attempt's only one
 *   neither, synchronously       staged
 */
export class ProcessContext {
  readonly engine: Engine;
  readonly attempt: Attempt;
  #job: Job | null = null;
  #complete: Complete | null = null;
  #prepare: Prepare | null = null;
  #afterCommit: AfterCommit | null = null;
  #log: WriteAttemptLog | null = null;
  #progress: WriteProgress | null = null;
  #isPrepareClosed = false;

  constructor(engine: Engine, attempt: Attempt) {
    this.engine = engine;
    this.attempt = attempt;
  }

  get job(): Job {
    const { job, blockers } = this.attempt.acquired;
    const { codec } = this.engine;
    return (this.#job ??= toJob(codec, job, toEndedSequences(codec, job, blockers)));
  }

  get signal(): AbortSignal {
    return this.attempt.signal;
  }

  /** The argument of middleware. */
  get about(): MiddlewareContext {
    return {
      // A running job, since this worker has just acquired it.
      job: this.job as MiddlewareContext["job"],
      signal: this.signal as MiddlewareContext["signal"],
      workerId: this.attempt.workerId,
      attempt: this.attempt.job.attempt,
    };
  }

  get prepare(): Prepare {
    if (this.#prepare === null) {
      if (this.#isPrepareClosed) {
        throw new ProcessMisuseError("Prepare cannot be accessed after auto-setup");
      }
      this.#prepare = createPrepare(this.engine, this.attempt, () => this.about);
    }
    return this.#prepare;
  }

  get complete(): Complete {
    return (this.#complete ??= createComplete(this));
  }

  get afterCommit(): AfterCommit {
    return (this.#afterCommit ??= createAfterCommit(this.attempt));
  }

  get log(): WriteAttemptLog {
    return (this.#log ??= this.engine.logWriter?.createLog(this.attempt) ?? ignoredLog);
  }

  get progress(): WriteProgress {
    return (this.#progress ??=
      this.engine.logWriter?.createProgress(this.attempt) ?? ignoredProgress);
  }

  /** The synchronous part of the process function is over, or it has called `complete`. */
  closePrepare(): void {
    this.#isPrepareClosed = true;
  }
}
