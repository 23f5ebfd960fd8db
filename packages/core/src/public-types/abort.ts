export type { JobAbortReason } from "../model/abort-reason.ts";

/** An abort signal whose reason has a known type; undefined until it is aborted. */
export interface TypedAbortSignal<TReason> extends AbortSignal {
  /** A string. `signal.throwIfAborted()` throws that string: `throwIfAborted(signal)` throws an error. */
  readonly reason: TReason | undefined;
}
