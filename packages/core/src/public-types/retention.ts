/**
 * The ages at which finished trees are deleted. A tree is deleted as a whole, once every job in it
 * has been finished for longer than its age. A tree that an outside job waits for is kept.
 */
export interface RetentionOptions {
  /** The age of completed jobs. Default, and null: trees with completed jobs are kept. */
  readonly completedForMs?: number | null | undefined;
  /** The age of failed jobs. Default, and null: trees with failed jobs are kept. */
  readonly failedForMs?: number | null | undefined;
  /** The age of cancelled jobs. Default, and null: trees with cancelled jobs are kept. */
  readonly cancelledForMs?: number | null | undefined;
}

/** The result of `retryFailedJobs` for one job. */
export type RetryFailedJobResult<TJobId extends string = string> =
  | { readonly id: TJobId; readonly retried: true; readonly status: "pending" | "blocked" }
  | {
      readonly id: TJobId;
      readonly retried: false;
      /**
       * `blocker_failed`: the job fails with its blockers, and one of them is still failed.
       * `blocker_cancelled`: one of its blockers was cancelled, and never completes. Cancel its sequence.
       */
      readonly reason:
        | "not_found"
        | "not_failed"
        | "deduplication_key_taken"
        | "blocker_failed"
        | "blocker_cancelled";
    };

/** The result of `triggerJobs` for one job. */
export type TriggerJobResult<TJobId extends string = string> =
  | { readonly id: TJobId; readonly triggered: true }
  | {
      readonly id: TJobId;
      readonly triggered: false;
      readonly reason: "not_found" | "not_pending";
    };
