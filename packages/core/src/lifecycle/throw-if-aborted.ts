import { JobAbortedError } from "../errors.ts";
import type { JobAbortReason, TypedAbortSignal } from "../public-types/abort.ts";

/**
 * Throws a `JobAbortedError` with the reason, if the signal of a process function is aborted.
 *
 * @example
 * ```ts
 * worker.implementJobType({
 *   typeName: "report",
 *   process: async ({ signal, complete }) => {
 *     for (const page of pages) {
 *       throwIfAborted(signal);
 *       await print(page);
 *     }
 *     return complete(null);
 *   },
 * });
 * ```
 */
export const throwIfAborted = (signal: TypedAbortSignal<JobAbortReason>): void => {
  if (signal.aborted) throw new JobAbortedError(signal.reason ?? "error");
};
