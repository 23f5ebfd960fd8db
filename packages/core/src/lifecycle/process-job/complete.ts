// The user's complete(): once per attempt. By value it states the outcome, and the worker settles it with others. By
// callback it opens the transaction (or takes the one that prepare opened) and runs the user's code in it. The transaction
// stays open until the process function has returned, so that an error after complete undoes it.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import type { Engine } from "../../engine.ts";
import { JobTakenByAnotherWorkerError, ProcessMisuseError } from "../../errors.ts";
import { checkOwnership } from "../attempt-events.ts";
import { ContinuationToken, createContinueWith, toNewContinuation } from "../continuation.ts";
import type { NewJobOptions } from "../new-job.ts";
import { observeStep } from "../../observe/guarded-span.ts";
import type { MiddlewareContext } from "../../public-types/worker.ts";
import {
  assertNotOver,
  assertWithoutBlockers,
  type Attempt,
  CompletionToken,
  markHandled,
  toLossError,
  toOutputOutcome,
} from "./attempt.ts";
import { runInLayers, toLayers } from "./transaction-middleware.ts";
import type { OpenTransaction } from "../../after-commit/open-transactions.ts";
import { createDeferred } from "../../async/deferred.ts";

type CompleteCallback = (context: object) => unknown;

interface CompleteFunction {
  (outcome: unknown): Promise<CompletionToken>;
  continueWith?: (options: NewJobOptions) => Promise<CompletionToken>;
}

export type Complete = CompleteFunction & Required<Pick<CompleteFunction, "continueWith">>;

/** The argument of the process function. */
interface Processing {
  readonly engine: Engine;
  readonly attempt: Attempt;
  /** The argument of middleware. */
  readonly about: MiddlewareContext;
  closePrepare(): void;
}

/** One per attempt. With a closure for each step, this was a tenth of the bytes that a job allocates. */
export const createComplete = (processing: Processing): Complete => {
  const call = new CompleteCall(processing);
  const complete: CompleteFunction = (outcome) => call.complete(outcome);
  complete.continueWith = (options) => call.continueWith(options);
  return complete as Complete;
};

class CompleteCall {
  readonly #processing: Processing;
  #firstError: { readonly error: unknown } | null = null;

  constructor(processing: Processing) {
    this.#processing = processing;
  }

  /** Not an async function: by value, one promise is all it takes. */
  complete(outcome: unknown): Promise<CompletionToken> {
    try {
      this.#begin();
    } catch (error) {
      return this.#refuse(error);
    }
    try {
      if (typeof outcome !== "function") return this.#completeByValue(outcome);
      const { engine, attempt } = this.#processing;
      const wrap: Wrap = (transaction, run) => this.#wrap(transaction, run);
      return this.#handled(
        completeInTransaction(engine, attempt, wrap, outcome as CompleteCallback),
      );
    } catch (error) {
      this.#failed(error);
      return markHandled(Promise.reject(error as Error));
    }
  }

  continueWith(options: NewJobOptions): Promise<CompletionToken> {
    try {
      this.#begin();
    } catch (error) {
      return this.#refuse(error);
    }
    return this.#handled(
      Promise.resolve(this.#wrap(undefined, () => this.#continueByValue(options))),
    );
  }

  #begin(): void {
    const { attempt } = this.#processing;
    if (attempt.hasCompleted) throw calledTwice(this.#firstError);
    assertNotOver(attempt);
    attempt.hasCompleted = true;
    this.#processing.closePrepare();
  }

  #refuse(reason: unknown): Promise<never> {
    const { engine, attempt } = this.#processing;
    return markHandled(
      reason instanceof JobTakenByAnotherWorkerError
        ? rejectWithLatestLoss(engine, attempt, reason)
        : Promise.reject(reason as Error),
    );
  }

  #failed(error: unknown): void {
    this.#firstError ??= { error };
  }

  #handled<T>(promise: Promise<T>): Promise<T> {
    return markHandled(promise, (error) => this.#failed(error));
  }

  /** Runs code inside the middleware around `complete`. */
  #wrap<T>(transaction: object | undefined, run: () => T | Promise<T>): T | Promise<T> {
    const { aroundComplete } = this.#processing.attempt.processor;
    if (aroundComplete.length === 0) return run();
    return runInLayers(toLayers(aroundComplete, this.#processing.about, transaction), run);
  }

  #completeByValue(output: unknown): Promise<CompletionToken> {
    const { engine, attempt } = this.#processing;
    if (attempt.processor.aroundComplete.length > 0) {
      const toToken = async (): Promise<CompletionToken> =>
        new CompletionToken(attempt, await toOutputOutcome(engine, attempt.job, output));
      return this.#handled(Promise.resolve(this.#wrap(undefined, toToken)));
    }
    const outcome = toOutputOutcome(engine, attempt.job, output);
    return outcome instanceof Promise
      ? this.#handled(outcome.then((parsed) => new CompletionToken(attempt, parsed)))
      : Promise.resolve(new CompletionToken(attempt, outcome));
  }

  async #continueByValue(options: NewJobOptions): Promise<CompletionToken> {
    assertWithoutBlockers(options);
    const { engine, attempt } = this.#processing;
    const traceContext = attempt.span?.traceContext() ?? attempt.job.traceContext;
    const job = await toNewContinuation(engine, attempt.job, options, traceContext);
    return new CompletionToken(attempt, { kind: "continuation", job });
  }
}

/** Runs code inside the middleware around `complete`. Without a transaction: by value. */
type Wrap = <T>(transaction: object | undefined, run: () => T | Promise<T>) => T | Promise<T>;

const completeInTransaction = (
  engine: Engine,
  attempt: Attempt,
  wrap: Wrap,
  callback: CompleteCallback,
): Promise<CompletionToken> =>
  observeStep(
    engine,
    () => ({ kind: "complete", job: attempt.data, attempt: attempt.span }),
    async () => {
      const transaction =
        attempt.transaction ?? (await attempt.openTransaction(() => openHeldTransaction(engine)));
      // While it opened, the attempt may have timed out, or its process function returned without waiting.
      assertNotOver(attempt);
      const { context, effects } = transaction;
      const traceContext = attempt.span?.traceContext() ?? attempt.job.traceContext;
      const continuing = createContinueWith(engine, context, attempt.job, effects, traceContext);
      const continueWith = (options: NewJobOptions): Promise<ContinuationToken> =>
        markHandled(transaction.call("continueWith", () => continuing.continueWith(options)));
      const result = await attempt.guardCallback(() =>
        engine.nesting.run(async () => wrap(context, () => callback({ ...context, continueWith }))),
      );
      return new CompletionToken(
        attempt,
        await toOutcome(engine, attempt.job, result, continuing.isCalled()),
      );
    },
  );

/** The result of a complete callback, as an outcome. */
export const toOutcome = async (
  engine: Engine,
  job: Attempt["job"],
  result: unknown,
  hasContinued: boolean,
): Promise<CompletionOutcome> => {
  if (result instanceof ContinuationToken) return result.outcome;
  if (hasContinued) {
    throw new ProcessMisuseError(
      "Return the result of continueWith: the job cannot also have an output",
    );
  }
  return toOutputOutcome(engine, job, result);
};

/** Code that catches the error of `complete` and calls it again is told that error, not only of the second call. */
const calledTwice = (first: { readonly error: unknown } | null): ProcessMisuseError => {
  if (first === null) return new ProcessMisuseError("Complete can only be called once");
  const { error } = first;
  const name = error instanceof Error ? error.name : "an error";
  return new ProcessMisuseError(
    `Complete can only be called once. The first call failed with ${name}, see \`cause\`: ` +
      "let it end the process function, so that the attempt fails and is retried.",
    { cause: error },
  );
};

/** The worker that took the job may have completed it since: the error is about the job as it is now. */
const rejectWithLatestLoss = async (
  engine: Engine,
  attempt: Attempt,
  noticed: JobTakenByAnotherWorkerError,
): Promise<never> => {
  await checkOwnership(engine, [attempt]);
  throw toLossError(attempt) ?? noticed;
};

// A transaction that stays open across user code.
//
//   open ──▶ user's callback ──▶ process function returns ──▶ settle statement ──▶ commit ──▶ effects flushed
//     │             │ throws                │ throws                │ lease lost      │ fails
//     └─────────────┴───────────────────────┴───────────────────────┴─────────────────┴──▶ rollback, effects dropped
//
// Providers take a callback, so the transaction lives inside one that waits for the verdict.

export interface HeldTransaction extends Pick<
  OpenTransaction,
  "context" | "effects" | "call" | "leave"
> {
  readonly openedAt: number;
  /** Rejects when the commit fails or its result is unknown: the effects are then the caller's to end. */
  commit(): Promise<void>;
  /** Never rejects: a connection that is gone has rolled back by itself. */
  rollback(): Promise<void>;
  /** As `rollback`, for a commit whose result is unknown: the effects are the caller's to end. */
  abandon(): Promise<void>;
}

/** Thrown through the provider to make it roll back; never surfaces. */
class RollbackRequest extends Error {}

/** Opens a transaction and hands it out once it is there. */
export const openHeldTransaction = async (engine: Engine): Promise<HeldTransaction> => {
  const opened = createDeferred<object>();
  const verdict = createDeferred<void>();
  const finished = engine.state.runInTransaction(async (context) => {
    opened.resolve(context);
    await verdict.promise;
  });
  // A transaction that could not be opened rejects here; a later rejection is seen by `commit` or `abandon`.
  finished.catch(opened.reject);

  const context = await opened.promise;
  const transaction = engine.transactions.open(context, engine.effects.create());
  const { effects } = transaction;
  const abandon = async (): Promise<void> => {
    verdict.reject(new RollbackRequest());
    // If the rollback fails, the connection is gone, and nothing of the transaction is stored.
    await finished.catch(() => undefined);
    engine.transactions.forget(transaction);
  };
  return {
    context: transaction.context,
    effects,
    openedAt: engine.clock.now(),
    call: (operation, run) => transaction.call(operation, run),
    leave: () => transaction.leave(),
    commit: async () => {
      verdict.resolve();
      try {
        await finished;
      } finally {
        engine.transactions.forget(transaction);
      }
      effects.flush();
    },
    rollback: () => {
      effects.discard();
      return abandon();
    },
    abandon,
  };
};
