/**
 * How long finished trees are kept: those in which every job has been completed, or has failed, for longer than this, and for
 * which nobody outside waits. What is left out, or null, is kept for ever.
 */
export interface RetentionOptions {
  readonly completedForMs?: number | null;
  /** Of trees with a failed job in them. */
  readonly failedForMs?: number | null;
}

/** What became of one job of `retryFailedJobs`. */
export type RetryFailedJobResult<TJobId extends string = string> =
  | { readonly id: TJobId; readonly retried: true; readonly status: "pending" | "blocked" }
  | {
      readonly id: TJobId;
      readonly retried: false;
      /** `blocker_failed`: it fails with its blockers, and one of them is failed still. */
      readonly reason: "not_found" | "not_failed" | "deduplication_key_taken" | "blocker_failed";
    };

/** What became of one job of `triggerJobs`. */
export type TriggerJobResult<TJobId extends string = string> =
  | { readonly id: TJobId; readonly triggered: true }
  | {
      readonly id: TJobId;
      readonly triggered: false;
      readonly reason: "not_found" | "not_pending";
    };
