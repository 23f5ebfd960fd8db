// The user's prepare(): at most once, before complete(). The mode decides when its writes commit.
import type { SpanDescription } from "../../adapters/observability-adapter.ts";
import { runTransaction } from "../../after-commit/open-transactions.ts";
import type { Engine } from "../../engine.ts";
import { InvalidOptionError, ProcessMisuseError } from "../../errors.ts";
import { openHeldTransaction } from "./complete.ts";
import { observeStep } from "../../observe/guarded-span.ts";
import type { MiddlewareContext } from "../../public-types/worker.ts";
import { runInLayers, toLayers } from "./transaction-middleware.ts";
import { assertNotOver, type Attempt, markHandled } from "./attempt.ts";

export type Prepare = (
  options: { readonly mode: "atomic" | "staged" },
  callback?: (context: object) => unknown,
) => Promise<unknown>;

/** One per attempt. */
export const createPrepare = (
  engine: Engine,
  attempt: Attempt,
  about: () => MiddlewareContext,
): Prepare => {
  const { aroundPrepare } = attempt.processor;
  /** The callback inside its middleware. */
  const wrapped: Wrap = (context, callback) =>
    aroundPrepare.length === 0
      ? callback?.({ ...context })
      : runInLayers(toLayers(aroundPrepare, about(), context), () => callback?.({ ...context }));
  let isCalled = false;
  const begin = (mode: unknown): void => {
    if (isCalled) throw new ProcessMisuseError("Prepare can only be called once");
    if (mode !== "atomic" && mode !== "staged") {
      throw new InvalidOptionError("prepare.mode", mode, 'give "atomic" or "staged"');
    }
    if (attempt.hasCompleted) throw new ProcessMisuseError("Prepare cannot follow complete");
    assertNotOver(attempt);
    isCalled = true;
  };
  return (options, callback) => {
    const { mode } = options ?? {};
    try {
      begin(mode);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const describe = (): SpanDescription => ({
      kind: "prepare",
      job: attempt.data,
      mode,
      attempt: attempt.span,
    });
    // An error of an atomic one fails the attempt, awaited or not; that of a staged one is its caller's alone.
    return mode === "atomic"
      ? markHandled(
          observeStep(engine, describe, () => prepareAtomic(engine, attempt, wrapped, callback)),
        )
      : observeStep(engine, describe, () => prepareStaged(engine, wrapped, callback));
  };
};

type Wrap = (context: object, callback: ((context: object) => unknown) | undefined) => unknown;

const prepareAtomic = async (
  engine: Engine,
  attempt: Attempt,
  wrapped: Wrap,
  callback: ((context: object) => unknown) | undefined,
): Promise<unknown> => {
  const transaction = await attempt.openTransaction(() => openHeldTransaction(engine));
  // While it opened, the attempt may have timed out, or its process function returned without waiting.
  assertNotOver(attempt);
  if (callback === undefined && attempt.processor.aroundPrepare.length === 0) return undefined;
  return attempt.guardCallback(() =>
    engine.nesting.run(async () => wrapped(transaction.context, callback)),
  );
};

const prepareStaged = async (
  engine: Engine,
  wrapped: Wrap,
  callback: ((context: object) => unknown) | undefined,
): Promise<unknown> => {
  if (callback === undefined) return undefined;
  return runTransaction(engine, async (context) => wrapped(context, callback));
};
