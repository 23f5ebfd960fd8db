// Step 5 of the walk: one job through its process function, to an outcome. Never rejects: whatever happens in here becomes
// an outcome, and an outcome is settled by whoever runs the attempt.
import type { Engine } from "../../engine.ts";
import { JobTimeoutError, ProcessMisuseError, UnrecoverableJobError } from "../../errors.ts";
import { timerMs } from "../../async/sleep.ts";
import type { Completion } from "../../public-types/process.ts";
import type { Attempt } from "./attempt.ts";
import { CompletionToken } from "./completion-token.ts";
import type { Outcome } from "./outcome.ts";
import { callProcess, ProcessContext } from "./process-context.ts";

/**
 * Runs the user's code. A transaction that it has opened is left open only for the outcome `held`. Chained: with
 * `async`, here and in `processAttempt`, every job would have two promises more, and they are dear where contexts are tracked.
 */
export const runAttempt = (engine: Engine, attempt: Attempt): Promise<Outcome> =>
  begin(engine, attempt).then(
    (token) => returned(attempt, token),
    (error: unknown) => end(attempt, { kind: "threw", error }),
  );

/** A prepare that was not awaited belongs to the attempt all the same: its transaction is waited for. */
const returned = (attempt: Attempt, token: unknown): Outcome | Promise<Outcome> => {
  const { opening, transaction } = attempt;
  const conclude = (): Outcome | Promise<Outcome> => end(attempt, toOutcome(attempt, token));
  const isOpening = opening !== null && transaction === null && token instanceof CompletionToken;
  return isOpening ? opening.then(conclude, conclude) : conclude();
};

/** Whatever it throws is a rejection, and whatever it returns a promise. */
const begin = (engine: Engine, attempt: Attempt): Promise<unknown> => {
  try {
    return Promise.resolve(runWithinLimits(engine, attempt));
  } catch (error) {
    return Promise.reject(error as Error);
  }
};

const end = (attempt: Attempt, outcome: Outcome): Outcome | Promise<Outcome> => {
  attempt.isOver = true;
  if (outcome.kind === "held") return leaveHeld(attempt, outcome);
  return attempt.isInTransaction ? endTransaction(attempt).then(() => outcome) : outcome;
};

/** A callback that was not awaited is waited for here: its writes belong to the commit, and its error prevents it. */
const leaveHeld = async (attempt: Attempt, outcome: Outcome): Promise<Outcome> => {
  await attempt.leaveTransaction();
  const { broken } = attempt;
  if (broken === null) return outcome;
  await endTransaction(attempt);
  return { kind: "threw", error: broken.error };
};

const toOutcome = (attempt: Attempt, token: unknown): Outcome => {
  try {
    return assertOutcome(attempt, token);
  } catch (error) {
    return { kind: "threw", error };
  }
};

const assertOutcome = (attempt: Attempt, token: unknown): Outcome => {
  if (!(token instanceof CompletionToken) || token.attempt !== attempt) {
    throw new ProcessMisuseError(
      `The process function of "${attempt.job.typeName}" must return what complete gives`,
      // Of a callback that was not awaited, nobody else would say it.
      attempt.broken === null ? undefined : { cause: attempt.broken.error },
    );
  }
  const { broken, transaction } = attempt;
  if (broken !== null) throw broken.error;
  const { outcome } = token;
  return transaction === null ? { kind: "value", outcome } : { kind: "held", outcome, transaction };
};

/** Nothing of it is to be stored; user code may still be inside. */
const endTransaction = async (attempt: Attempt): Promise<void> => {
  await attempt.leaveTransaction();
  await attempt.transaction?.rollback();
  attempt.transaction = null;
};

const runWithinLimits = (engine: Engine, attempt: Attempt): Promise<unknown> => {
  const { timeoutMs } = attempt.processor;
  const context = new ProcessContext(engine, attempt);
  assertReadable(context);
  return timeoutMs === null
    ? runInSpan(context)
    : runWithTimeout(engine, attempt, timeoutMs, async () => runInSpan(context));
};

const runInSpan = (context: ProcessContext): Promise<unknown> => {
  const { span } = context.attempt;
  return span === null ? runMiddleware(context, 0) : span.run(() => runMiddleware(context, 0));
};

/** A stored payload that is no JSON was written by somebody else, and no attempt will mend it. */
const assertReadable = (context: ProcessContext): void => {
  try {
    void context.job;
  } catch (error) {
    throw new UnrecoverableJobError("The stored payload cannot be read", { cause: error });
  }
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

/**
 * Cooperative first: the signal is aborted. The attempt has failed from then on, whatever the process function still
 * does: it is no longer waited for, unless it is inside a transaction, which cannot be taken from under it.
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
    // What an abandoned process function throws later has no reader.
    running.catch(() => undefined);
  }
};
