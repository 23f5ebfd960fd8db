import { JobAbortedError } from "../errors.ts";
import type { JobAbortReason, TypedAbortSignal } from "../public-types/abort.ts";

/** Throws a `JobAbortedError` with the reason, if the signal of a process function is aborted. */
export const throwIfAborted = (signal: TypedAbortSignal<JobAbortReason>): void => {
  if (signal.aborted) throw new JobAbortedError(signal.reason ?? "error");
};
