// The user's complete(): once per attempt. By value it only says what the outcome is, and the worker settles it with
// others. By callback it opens the transaction (or takes the one that prepare opened) and runs the user's code in it; the
// transaction stays open until the process function has returned, so that whatever throws after complete undoes it.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import type { Engine } from "../../engine.ts";
import { ProcessMisuseError } from "../../errors.ts";
import { toJsonText } from "../../model/payload.ts";
import { ContinuationToken, createContinueWith, toNewContinuation } from "../continuation.ts";
import type { NewJobOptions } from "../new-job.ts";
import type { Attempt } from "./attempt.ts";
import { CompletionToken } from "./completion-token.ts";
import { openHeldTransaction } from "./held-transaction.ts";
import { observeStep } from "../observe-step.ts";
import { withoutReader } from "./without-reader.ts";
import { assertNotOver } from "./assert-not-over.ts";

type CompleteCallback = (context: object) => unknown;

interface CompleteFunction {
  (outcome: unknown): Promise<CompletionToken>;
  continueWith?: (options: NewJobOptions) => Promise<CompletionToken>;
}

export type Complete = CompleteFunction & Required<Pick<CompleteFunction, "continueWith">>;

/** One per attempt. `onCalled` closes prepare. */
export const createComplete = (
  engine: Engine,
  attempt: Attempt,
  onCalled: () => void,
): Complete => {
  const begin = (): void => {
    if (attempt.hasCompleted) throw new ProcessMisuseError("Complete can only be called once");
    assertNotOver(attempt);
    attempt.hasCompleted = true;
    onCalled();
  };
  // Not an async function: by value, one promise is all it takes.
  const complete: CompleteFunction = (outcome) => {
    try {
      begin();
      return typeof outcome === "function"
        ? withoutReader(completeInTransaction(engine, attempt, outcome as CompleteCallback))
        : completeByValue(engine, attempt, outcome);
    } catch (error) {
      return withoutReader(Promise.reject(error as Error));
    }
  };
  const continueByValue = async (options: NewJobOptions): Promise<CompletionToken> => {
    begin();
    if (options?.startBlockers !== undefined) {
      throw new ProcessMisuseError(
        "complete.continueWith takes no startBlockers: use complete(async ({ continueWith }) => …)",
      );
    }
    const traceContext = attempt.span?.traceContext() ?? attempt.job.traceContext;
    const job = await toNewContinuation(engine, attempt.job, options, traceContext);
    return new CompletionToken(attempt, { kind: "continuation", job });
  };
  complete.continueWith = (options) => withoutReader(continueByValue(options));
  return complete as Complete;
};

const completeByValue = (
  engine: Engine,
  attempt: Attempt,
  output: unknown,
): Promise<CompletionToken> => {
  const outcome = toOutputOutcome(engine, attempt.job, output);
  return outcome instanceof Promise
    ? withoutReader(outcome.then((parsed) => new CompletionToken(attempt, parsed)))
    : Promise.resolve(new CompletionToken(attempt, outcome));
};

const completeInTransaction = (
  engine: Engine,
  attempt: Attempt,
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
        withoutReader(transaction.call("continueWith", () => continuing.continueWith(options)));
      const result = await attempt.guardCallback(() =>
        engine.nesting.run(async () => callback({ ...context, continueWith })),
      );
      return new CompletionToken(
        attempt,
        await toOutcome(engine, attempt.job, result, continuing.isCalled()),
      );
    },
  );

/** What a complete callback has answered, as an outcome. */
export const toOutcome = async (
  engine: Engine,
  job: Attempt["job"],
  result: unknown,
  hasContinued: boolean,
): Promise<CompletionOutcome> => {
  if (result instanceof ContinuationToken) return result.outcome;
  if (hasContinued) {
    throw new ProcessMisuseError(
      "Return what continueWith gave: the job cannot also have an output",
    );
  }
  return toOutputOutcome(engine, job, result);
};

/** A promise only if the type's schema is asynchronous. */
const toOutputOutcome = (
  { registry }: Engine,
  job: Attempt["job"],
  output: unknown,
): CompletionOutcome | Promise<CompletionOutcome> => {
  if (output instanceof ContinuationToken || output instanceof CompletionToken) {
    throw new ProcessMisuseError(
      "A continuation is answered by the complete callback, not given by value",
    );
  }
  const { typeName } = job;
  const toText = (value: unknown): CompletionOutcome => ({
    kind: "output",
    output: toJsonText(value, { typeName, part: "output" }),
  });
  const parsed = registry.parseOutput(typeName, output);
  return parsed instanceof Promise ? (parsed as Promise<unknown>).then(toText) : toText(parsed);
};
