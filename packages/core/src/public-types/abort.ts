/** Why the signal of a process function was aborted. */
export type JobAbortReason =
  "taken_by_another_worker" | "error" | "not_found" | "already_completed" | "timeout" | "shutdown";

/** An abort signal whose reason has a known type; undefined until it is aborted. */
export interface TypedAbortSignal<TReason> extends AbortSignal {
  readonly reason: TReason | undefined;
}
