/** The options of `drain`. */
export interface DrainOptions {
  /** The most jobs at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /** The most jobs in this call. Default: no limit. */
  readonly maxJobs?: number | undefined;
  /** Names the worker in jobs, events and logs. Default: host, process id and a random part. */
  readonly workerId?: string | undefined;
}

/** The options of `processOnce`. */
export interface ProcessOnceOptions extends DrainOptions {
  /** How long the call may take. At its end, the signals of running jobs are aborted with `"shutdown"`. */
  readonly budgetMs: number;
  /**
   * The end of the budget, in which no job begins. Default: 2 s, or as long as the longest attempt of the
   * call, but at most half of the budget.
   */
  readonly reserveMs?: number | undefined;
}

/** The number of each outcome in one call. */
export interface ProcessOnceResult {
  /** Jobs that were completed or continued. */
  readonly completed: number;
  /** Jobs that failed for good. */
  readonly failed: number;
  /** Jobs that are to run again: their attempt failed, was aborted, or asked for it. */
  readonly rescheduled: number;
  /** Jobs that were cancelled, deleted or settled elsewhere while they ran. */
  readonly lost: number;
  /** Jobs that were given back before they began. */
  readonly handedBack: number;
  /** Jobs whose handlers did not end when their signals were aborted: they run again when their leases expire. */
  readonly leftBehind: number;
  /** When to call again: the next job or tick. 0: at once, since more may be due. Null: there is none. */
  readonly nextDueInMs: number | null;
}
