// Step 5 of the walk, processed: one attempt, from its beginning in a slot to its outcome.
//
//   begin ─▶ payload readable? ─▶ timeout ─▶ span ─▶ middleware ─▶ process function ─▶ outcome ─▶ transaction left
//
// Never rejects: an error in here becomes an outcome, and the worker settles it. Chained: with `async`, every job would have
// two promises more, and they are expensive where async contexts are tracked.
import { timerMs } from "../../async/sleep.ts";
import type { Engine } from "../../engine.ts";
import { JobTimeoutError, ProcessMisuseError, UnrecoverableJobError } from "../../errors.ts";
import type { Completion } from "../../public-types/process.ts";
import { emitAbout, startAttemptSpan, toStartedData } from "../attempt-events.ts";
import type { Attempt } from "./attempt.ts";
import { CompletionToken } from "./complete.ts";
import type { Outcome } from "./decide-failure.ts";
import { ProcessContext } from "./process-context.ts";

/** Runs the user's code. A transaction that it has opened is left open for the outcome `held` only. */
export const processAttempt = (engine: Engine, attempt: Attempt): Promise<Outcome> => {
  attempt.startedAt = engine.clock.now();
  startAttemptSpan(engine, attempt);
  emitStarted(engine, attempt);
  if (isUsedUp(attempt)) return Promise.resolve(usedUp(attempt));
  return callUserCode(engine, attempt).then(
    (token) => conclude(attempt, token),
    (error: unknown) => end(attempt, { kind: "threw", error }),
  );
};

const emitStarted = (engine: Engine, attempt: Attempt): void => {
  if (!engine.observer.isWanted("jobAttemptStarted")) return;
  emitAbout(engine, attempt, "jobAttemptStarted", () => toStartedData(attempt, waitedMs(attempt)));
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

/** A job whose attempts vanish without an outcome kills its workers: it is stopped before it begins again. */
const isUsedUp = ({ job, processor }: Attempt): boolean => {
  const { maxAttempts } = processor.retryPolicy;
  return maxAttempts !== null && job.attempt > maxAttempts;
};

const usedUp = ({ job, processor }: Attempt): Outcome => ({
  kind: "threw",
  error: new UnrecoverableJobError(
    `All ${processor.retryPolicy.maxAttempts} attempts were begun and the last had no outcome: ` +
      `its worker vanished. Last error: ${job.lastAttemptError ?? "none"}`,
  ),
});

/** A synchronous error is a rejection, and the result a promise. */
const callUserCode = (engine: Engine, attempt: Attempt): Promise<unknown> => {
  try {
    const context = new ProcessContext(engine, attempt);
    assertReadable(context);
    const { timeoutMs } = attempt.processor;
    return Promise.resolve(
      timeoutMs === null
        ? runInSpan(context)
        : runWithTimeout(engine, attempt, timeoutMs, async () => runInSpan(context)),
    );
  } catch (error) {
    return Promise.reject(error as Error);
  }
};

/** A stored payload that is not JSON was not written by this library, and no attempt can mend it. */
const assertReadable = (context: ProcessContext): void => {
  try {
    void context.job;
  } catch (error) {
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
  const about = {
    // A running job, since this worker has just acquired it.
    job: context.job as Parameters<typeof middleware>[0]["job"],
    signal: context.signal as Parameters<typeof middleware>[0]["signal"],
    workerId: attempt.workerId,
    attempt: attempt.job.attempt,
  };
  return middleware(about, () => runMiddleware(context, index + 1));
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
  const endWithToken = (): Outcome | Promise<Outcome> => end(attempt, toOutcome(attempt, token));
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

const end = (attempt: Attempt, outcome: Outcome): Outcome | Promise<Outcome> => {
  attempt.isOver = true;
  if (outcome.kind === "held") return leaveHeld(attempt, outcome);
  return attempt.isInTransaction ? endTransaction(attempt).then(() => outcome) : outcome;
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
