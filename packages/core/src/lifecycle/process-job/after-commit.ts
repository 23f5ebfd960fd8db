// Callbacks for after the commit. `complete` resolves before it, since the process function may still throw.
import type { Engine } from "../../engine.ts";
import { assertFunction } from "../../model/assert-option.ts";
import { reportWorkerError } from "../attempt-events.ts";
import { assertNotOver, type Attempt } from "./attempt.ts";

export type AfterCommit = (callback: () => unknown) => void;

/** Remembers a callback for the commit of the attempt's completion or continuation. */
export const createAfterCommit =
  (attempt: Attempt): AfterCommit =>
  (callback) => {
    assertFunction(callback, "afterCommit");
    assertNotOver(attempt);
    (attempt.afterCommit ??= []).push(callback);
  };

/** Runs the callbacks in order, if the completion is stored. Null if there is nothing to run. Never rejects. */
export const runAfterCommit = (engine: Engine, attempt: Attempt): Promise<void> | null => {
  const { afterCommit: callbacks, result } = attempt;
  if (callbacks === null || (result !== "completed" && result !== "continued")) return null;
  attempt.afterCommit = null;
  return runInOrder(engine, attempt, callbacks);
};

const runInOrder = async (
  engine: Engine,
  attempt: Attempt,
  callbacks: readonly (() => unknown)[],
): Promise<void> => {
  for (const callback of callbacks) {
    try {
      await callback();
    } catch (error) {
      reportWorkerError(engine, attempt, "run an `afterCommit` callback", error);
    }
  }
};
