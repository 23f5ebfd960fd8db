// oxlint-disable max-lines -- the contract is one manual, read from top to bottom
import type { StateJob, StateSequence } from "../model/state-job.ts";
import type {
  AcquireJobsParams,
  AcquireJobsResult,
  AddBlockersParams,
  CancelSequencesParams,
  CancelSequencesResult,
  CompleteJobsParams,
  CompleteJobsResult,
  CreateJobsParams,
  CreatedStateJob,
  DeleteSequencesParams,
  DeleteSequencesResult,
  FailJobsParams,
  FailJobsResult,
  DeleteFinishedParams,
  GetByIdsParams,
  LeaseCheck,
  PauseParams,
  PauseTarget,
  ReclaimExpiredLeasesParams,
  ReclaimedJob,
  RenewLeasesParams,
  RescheduleJobsParams,
  RescheduleResult,
  RetryFailedResult,
  StatePause,
  TriggerResult,
} from "./state-adapter-params.ts";
import type {
  DeleteLimitsParams,
  GetLimitsParams,
  SetLimitsParams,
  StateLimitState,
} from "./state-adapter-limits.ts";
import type { LimitKeyStore } from "./limit-key-store.ts";
import type { UpdateJobsParams, UpdateResult } from "./state-adapter-updates.ts";
import type { OperatorStore } from "./operator-store.ts";
import type {
  DeleteScheduleTicksParams,
  DeleteSchedulesParams,
  ListScheduleTicksParams,
  ListSchedulesParams,
  LockedSchedules,
  LockSchedulesParams,
  RecordTicksParams,
  StateSchedule,
  StateTick,
  TakeDueSchedulesParams,
  TakenSchedules,
  WriteSchedulesParams,
} from "./state-adapter-schedules.ts";
import type {
  BlockerEdge,
  ListJobsParams,
  ListSequencesParams,
  StateSummary,
  SummarizeParams,
} from "./state-adapter-queries.ts";

/** The objects by which an adapter runs a statement: a client, a session. Users spread it into their calls. */
export type BaseStateAdapterContext = object;

/** Differences between stores, declared. Core and the suites ask these, never which store it is. */
export interface StateAdapterCapabilities {
  /** Two transactions may hold uncommitted writes to different rows at the same time. */
  readonly concurrentWriters: boolean;
  /**
   * A lease can be renewed on another connection while its holder has a transaction open that will write
   * the same job. False where that makes the transaction fail (snapshot isolation) or wait (one writer):
   * core then leaves attempts with an open transaction out of the renewal.
   */
  readonly renewsLeasesBesideTransactions: boolean;
  /** After one failed statement every further one in that transaction fails, until it is rolled back. */
  readonly failedStatementAbortsTransaction: boolean;
  /** Other processes can reach the same store. False for stores that live in this process's memory. */
  readonly sharedBetweenProcesses: boolean;
  /**
   * Whether trying again can help: the connection was lost, the server restarts, or another transaction held a lock.
   * After such an error a worker settles again. Another error counts as the job's failure. Left out: the first few errors
   * count as transient, and then one counts as lasting.
   */
  readonly isTransientError?: ((error: unknown) => boolean) | undefined;
  /**
   * `completeJobs` takes `andCommit`: the last statement of a transaction and its commit in one round trip. Left out: the
   * commit is a step of its own, which is as good where there is no network between.
   */
  readonly completesAndCommits?: boolean | undefined;
  /** How many connections it has at most, where that is known: a worker of more concurrency says so when it starts. */
  readonly connectionsMax?: number | undefined;
  /**
   * The names of all keys that a context can have, such as `["client"]`. A call with another unknown key is refused. Left out:
   * the keys are learned from the first context that `runInTransaction` gives, and until then any object is accepted.
   */
  readonly contextKeys?: readonly string[] | undefined;
}

/**
 * Where jobs are kept: the only source of truth. Read this file as the manual for writing an adapter; each
 * bullet is a promise with a case of the same wording in `queuert/testing`.
 *
 * For every method:
 * - Arrays in, arrays out, in the same order. An empty array is answered without touching the store.
 * - `context` present: runs in that transaction and sees its uncommitted writes. Absent: atomic by itself.
 * - A write with the context of an ended transaction rejects with `StateNotInTransactionError`, and stores nothing.
 * - Times are the store's clock at the moment of the statement, not of the transaction's start, and never the
 *   caller's. Durations arrive in milliseconds; any finite one is accepted.
 * - Several rows are locked in one order (by id), for any order of the arguments.
 * - A write re-checks status and lease in the statement that writes. An element that no longer holds changes nothing
 *   and is returned as such; the others are written.
 */
export interface StateAdapter<
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
  TJobId extends string,
> {
  readonly capabilities: StateAdapterCapabilities;

  /** Runs the callback with a context outside any transaction. */
  provideContext<T>(callback: (context: TContext) => Promise<T>): Promise<T>;

  /**
   * Runs the callback once in a transaction: commits when it resolves, rolls back when it rejects.
   * - The callback is never run twice.
   * - Resolves only after the commit is acknowledged. Rejects with the callback's error after a rollback.
   */
  runInTransaction<T>(callback: (context: TTxContext) => Promise<T>): Promise<T>;

  /** Whether statements with this context run in an open transaction. False for anything that is no context of it. */
  isInTransaction(context: TTxContext | TContext): Promise<boolean>;

  /**
   * The identity of the store: 8 to 16 characters of `a` to `z` and `0` to `9`, chosen at random with the schema.
   * Notifications carry it, so that two stores on one broker do not receive each other's.
   * - The same for every adapter on the store, and after a restart. Another store has another identity.
   * - A store whose identity was deleted, as by tests that empty every table, gets a new one, written once.
   */
  getStoreId(): Promise<string>;

  // ── 2 stored ────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Stores new jobs.
   * - All or none. One statement per table, however many jobs.
   * - `ordinal` grows in the order of the array.
   * - An entry job's `sequenceId` is its own id, its `rootSequenceId` its own id unless one is given.
   * - `awaitsBlockers`: stored as `blocked` with no blockers yet; only `addBlockers` can release it.
   *   Otherwise `pending`. A schedule of either status is kept.
   * - Deduplication is by (`typeName`, `key`): while a matching sequence exists the stored one is returned with
   *   `deduplicated: true` and nothing is written for that element. Under `"completed"` an unfinished sequence
   *   matches; under `"all"` a finished one (completed or failed) too, but never a cancelled one; `windowMs` leaves out
   *   those created longer ago.
   * - Under `"pending"` a sequence matches whose first job is `pending` or `blocked` and has not begun: `attempt` is 0.
   * - `excludeSequenceIds`: these sequences never match.
   * - Two elements of one call with the same key: the second is deduplicated to the first.
   * - A key held by another open transaction: waits for it, then matches (committed) or creates (rolled back). At
   *   stricter isolation levels a serialization failure may surface instead; two sequences never.
   * - A sequence of the key that another open transaction deletes: waits for it, then creates (committed) or matches
   *   (rolled back). A deletion that begins after the match comes after this call, whichever commits first.
   * - `id` of an entry job: it is stored under this id. If a job of any type has the id, that job is returned with
   *   `deduplicated: true`, and nothing is written for that element.
   * - Two elements of one call with the same id: the second is deduplicated to the first.
   * - An id that another open transaction stores: waits for it, then matches (committed) or creates (rolled back).
   * - A job of the id that another open transaction deletes: waits for it, then creates (committed) or matches (rolled back).
   * - Without `context` the call commits by itself, in one round trip where the store can: when it resolves, every
   *   connection sees all jobs.
   */
  createJobs(params: CreateJobsParams<TTxContext>): Promise<readonly CreatedStateJob[]>;

  /**
   * Makes jobs created with `awaitsBlockers` wait for sequences.
   * - Answers each job as it is afterwards: `pending` if all its blockers are already complete, else `blocked`.
   * - A blocker that has failed, on a job with `onBlockerFailure: "fail"`: the job is `failed`.
   * - A blocker that was cancelled: the job is `failed`, in the words of `blockerCancelledError`. It would wait for ever.
   * - On a job with `onBlockerFailure: "continue"`, a blocker that has failed or was cancelled counts as complete.
   * - The same sequence twice in one list counts once for releasing, and keeps both places in the list.
   * - A blocker that completes at the same time in another transaction releases the job: whichever of the two
   *   commits last sees the other. Also while the blocker's sequence is being continued.
   * - `waitAtMostMs`: the wait of a job that stays blocked ends at its creation plus this time (`blockedUntil`).
   * - A sequence that does not exist: `missing` names it for that element, and nothing is written for it.
   */
  addBlockers(
    params: AddBlockersParams<TTxContext>,
  ): Promise<readonly { readonly job: StateJob; readonly missing: readonly string[] }[]>;

  // ── 4 acquired ──────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Takes due jobs, marks them running, and commits at once: there is no `context`.
   * - At most `limit` in all and `types[i].limit` of each type. Two callers never receive the same job.
   * - Within a type: higher `priority` first, then older `scheduledAt`, then smaller `ordinal`. Between types no
   *   order is promised, but no type with due jobs goes without for ever.
   * - Due: `pending` with `scheduledAt` not after now, or `running` with an expired lease (`reclaimedFrom` then names
   *   its last worker, and its error is that worker's `leaseExpiredError`).
   * - A blocked job whose wait has ended (`blockedUntil` not after now) becomes `pending` first, and keeps its due time. A blocker
   *   that completes at the same time in another transaction releases it only once.
   * - Adds one to `attempt` and to `leaseVersion`; sets the lease to now plus the type's `leaseMs`.
   * - Skips jobs locked by another transaction; never waits for them.
   * - `blockers`: the sequences the job waited for, as they are, in the order they were given.
   * - `nextDueInMs`: milliseconds until the next pending job of these types becomes due, 0 if some are due already
   *   (exact when fewer than `limit` were returned), or until the wait of a blocked job ends, null if none is scheduled. Never above 2 147 483 647.
   * - `storeTime`: the store's clock during the statement, where it costs nothing.
   * - A type under a limit: at no moment do more than `concurrency` of its jobs hold an unexpired lease.
   * - In any `perMs` at most `count` + `burst` - 1 of its jobs start, by the store's clock.
   * - Types under a limit get at most `slots` jobs in all: a job that cannot begin holds no permit.
   * - `nextDueInMs` of a type at its limit is the moment of the next token, and a second if no permit is free. With
   *   `isLimited` due jobs were kept back.
   * - Jobs of a paused type stay as they are. `nextDueInMs` has the end of the pause instead of their due time.
   * - `batch`: no job of the type is acquired before `minSize` of them are due, or one has been due for `maxWaitMs`. The time for
   *   which a job was blocked does not count.
   * - Callers at the same time do not divide the jobs of a batch: each gets at least `minSize`, or none.
   * - `nextDueInMs` of a type with `batch` is the moment from which its pending jobs can be acquired.
   * - Cost does not grow with finished, scheduled or blocked jobs.
   */
  acquireJobs(params: AcquireJobsParams): Promise<AcquireJobsResult>;

  // ── 5 processed ─────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Extends leases to now plus `leaseMs`; commits at once.
   * - `held`: the job is running under this `leaseVersion`, expired or not.
   * - An expired lease of a type under a limit is lost, with the reason `lease_expired`: its permit may be in use again.
   * - A lease that ends later is shortened: the clock of the store was set back, or `leaseMs` is smaller than before.
   * - Never waits for a lock: a job locked by its holder's own transaction is `held` and left as it is.
   * - Otherwise the reason why the lease is lost.
   */
  renewLeases(params: RenewLeasesParams): Promise<readonly LeaseCheck[]>;

  // ── 6 completed, 7 continued, unblocked ─────────────────────────────────────────────────────────────────

  /**
   * Completes jobs, creates their continuations, and releases the dependants of each sequence that ended.
   * - An element names the `leaseVersion` it holds, and is written while the job is running under it, expired or
   *   not. Without one (completion without a worker) any unfinished status will do.
   * - `output`: ends the sequence. `continuation`: stores the next job at `position + 1`, in the same sequence.
   *   `continuedToId`: the next job has been stored already, by `createJobs`.
   * - Jobs whose last incomplete blocker ends here become `pending` in the same transaction, exactly once, also when
   *   two of their blockers end at the same instant in two transactions. They are listed in `unblocked`.
   * - An element that is not written says why, and whether the stored completion is this very lease's
   *   (`storedByThisLease`): a commit whose result was lost is recognised, not repeated.
   * - `andCommit`, a capability, makes it the last statement of a `runInTransaction`, which may commit with it if its only
   *   element is written. A callback that rejects after it may find all of the transaction committed. If the element is not
   *   written, nothing is committed: it is answered as lost, and the transaction can only be rolled back. Rejects when the
   *   commit fails, or its result is not known.
   */
  completeJobs(params: CompleteJobsParams<TTxContext>): Promise<CompleteJobsResult>;

  // ── ↺ failed, asked to wait, handed back, lost ──────────────────────────────────────────────────────────

  /**
   * Gives running jobs back as `pending`, with no lease.
   * - `schedule: null` keeps the due time, and with it the place in the order.
   * - `countsAttempt: false` takes this run's one off `attempt` again.
   * - `error: null` keeps the last error.
   */
  rescheduleJobs(params: RescheduleJobsParams<TTxContext>): Promise<readonly RescheduleResult[]>;

  /**
   * Fails running jobs for good, and every blocked job that waits for their sequences with
   * `onBlockerFailure: "fail"`, and theirs in turn.
   * - In one transaction, or without a context in several: a store that bounds them cuts between two levels of
   *   dependants, never within one, and `reclaimExpiredLeases` finishes the rest after a crash.
   * - A dependant's error names the sequence that failed, in the words of `blockerFailedError`.
   * - Dependants with `"wait"` stay blocked.
   * - Dependants with `"continue"` whose other blockers have all ended become `pending` in the same transaction. They are
   *   listed in `unblocked`.
   */
  failJobs(params: FailJobsParams<TTxContext>): Promise<FailJobsResult>;

  /**
   * Cancels the current job of each sequence. It is final: a later write under its lease is `lost`, with the reason
   * `cancelled`, and nothing of the attempt is stored.
   * - Blocked, pending and running jobs alike. A sequence that has ended already is refused, and the others are cancelled.
   * - `tree`: also the sequences that were started for them (`originId`), and for those in turn. One that a job outside
   *   waits for is left as it is, with the sequences that were started for it.
   * - A job outside that waits for a cancelled sequence: with `"refuse"` nothing is written, and the edges are returned. With
   *   `"fail"` it fails, and every job that waits for its sequence in turn, at any `onBlockerFailure`. With `"cancel"`
   *   its sequence is cancelled too, with its tree.
   * - A job with `onBlockerFailure: "continue"` goes on after a cancellation as after a failure, at any `dependants`. It does
   *   not forbid one.
   * - `failed`: a given sequence that has failed is cancelled as well, and never retried. Those in its tree that have failed
   *   stay as they are.
   * - A cancelled sequence no longer holds its deduplication key, under neither strategy.
   * - Completed, continued or failed at the same time in another transaction: the one that commits first stands. After a
   *   continuation the next job is cancelled.
   * - All or none, in one transaction.
   */
  cancelSequences(params: CancelSequencesParams<TTxContext>): Promise<CancelSequencesResult>;

  /**
   * Gives running jobs of any type whose lease has expired back as `pending`, at their old place; oldest lease first.
   * - Skips jobs locked by another transaction: their holder is alive and about to settle.
   * - Two callers never reclaim the same lease. The error of the attempt says that the lease expired, in
   *   the words of `leaseExpiredError`.
   */
  reclaimExpiredLeases(params: ReclaimExpiredLeasesParams): Promise<readonly ReclaimedJob[]>;

  /**
   * Makes failed jobs due now, with `attempt` 0 and their last error kept.
   * - `blocked` if they have incomplete blockers, else `pending`.
   * - Refused for a job whose deduplication key another unfinished sequence has taken meanwhile.
   * - Refused for a job with `onBlockerFailure` `"fail"` while one of its blockers is failed: it would hold its key, and
   *   wait. Not for a blocker that comes back in the same call, in any order.
   * - Refused for a job one of whose blockers was cancelled: it would wait for ever. With `onBlockerFailure: "continue"` it
   *   waits only for blockers that have not ended.
   * - A blocked job with `onBlockerFailure: "continue"` waits for a retried sequence again, and a released one stays.
   */
  retryFailedJobs(
    params: GetByIdsParams<TTxContext, TJobId>,
  ): Promise<readonly RetryFailedResult[]>;

  /**
   * Changes jobs that do not run. A call names each job once.
   * - A field that is null is kept.
   * - `pending` and `blocked` jobs, and `failed` ones before their retry. The others stay as they are: `not_updatable`.
   * - `schedule` counts from now, and `dueWithinMs` from the creation of the job: the due time is never later.
   * - A job whose change is not committed is not acquired. A job that was acquired before is `not_updatable`.
   */
  updateJobs(params: UpdateJobsParams<TTxContext, TJobId>): Promise<readonly UpdateResult[]>;

  /** Makes pending jobs due now. Jobs in another status are left alone and answered as such. */
  triggerJobs(params: GetByIdsParams<TTxContext, TJobId>): Promise<readonly TriggerResult[]>;

  // ── without a worker ────────────────────────────────────────────────────────────────────────────────────

  /**
   * Locks the current job of each sequence until the transaction ends, and returns the sequences.
   * - The returned sequence is current: if it is continued while waiting for the lock, it has its new last job.
   * - Undefined for a sequence that does not exist.
   */
  lockSequences(params: {
    readonly context: TTxContext;
    readonly ids: readonly TJobId[];
  }): Promise<readonly (StateSequence | undefined)[]>;

  /**
   * Deletes every job of the given roots' trees.
   * - All or nothing: nothing is deleted if a job outside the set waits for a sequence in it, or an id is not a
   *   root. The result names them.
   */
  deleteSequences(
    params: DeleteSequencesParams<TTxContext, TJobId>,
  ): Promise<DeleteSequencesResult>;

  /**
   * Retention: deletes up to `limit` whole root trees in which every job has been finished for longer than the age
   * given for its status. A tree that an outside job waits for is kept. Returns the number of deleted jobs. Oldest
   * first; a null age keeps trees that contain jobs of that status.
   */
  deleteFinishedSequences(params: DeleteFinishedParams): Promise<number>;

  // ── schedules ───────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Milliseconds until the first schedule is due, 0 if some are due already; null if none is.
   * - The earliest `lookAt`, by the store's clock; schedules without one count for nothing.
   * - Costs one probe of an index, however many schedules there are.
   */
  nextScheduleInMs(): Promise<number | null>;

  /**
   * Locks due schedules until the transaction ends, and returns them.
   * - Due: `lookAt` is not after now. Earlier `lookAt` first, at most `limit`.
   * - Two transactions never hold the same schedule, and a schedule that another one holds is left out.
   * - A schedule that was fired meanwhile is not due any more, so no instant is taken twice.
   */
  takeDueSchedules(params: TakeDueSchedulesParams<TTxContext>): Promise<TakenSchedules>;

  /**
   * Locks schedules by name until the transaction ends, due or not.
   * - Waits for another transaction that holds one, or rejects; the returned schedule is current.
   * - Undefined for a schedule that does not exist.
   */
  lockSchedules(params: LockSchedulesParams<TTxContext>): Promise<LockedSchedules>;

  /**
   * Stores schedules. True for each that was written.
   * - `isNew`: false if the name is taken, also by a transaction that commits meanwhile, and nothing is written.
   * - Otherwise the locked schedule is replaced; false if it does not exist.
   */
  writeSchedules(params: WriteSchedulesParams<TTxContext>): Promise<readonly boolean[]>;

  /**
   * Deletes schedules with their ticks. Their sequences stay. True for each that existed.
   * - Waits for a transaction that holds one, or rejects.
   */
  deleteSchedules(params: DeleteSchedulesParams<TTxContext>): Promise<readonly boolean[]>;

  /** One page of schedules by name, in the order of code points, strictly after `afterName`. */
  listSchedules(params: ListSchedulesParams<TContext>): Promise<readonly StateSchedule[]>;

  /**
   * Stores ticks of schedules that this transaction holds. True for each that was written.
   * - One tick for each schedule and instant, and one manual tick beside it.
   * - A tick that was `missed` or `buffered` is replaced. Any other stays as it is.
   */
  recordTicks(params: RecordTicksParams<TTxContext>): Promise<readonly boolean[]>;

  /** One page of the ticks of a schedule, by instant. */
  listScheduleTicks(params: ListScheduleTicksParams<TContext>): Promise<readonly StateTick[]>;

  /**
   * Deletes up to `limit` ticks that were fired long enough ago. Returns their number.
   * - Oldest first; a younger tick stays.
   */
  deleteScheduleTicks(params: DeleteScheduleTicksParams): Promise<number>;

  // ── paused ──────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Pauses job types, or every type; commits at once.
   * - After it has resolved, no acquisition that begins takes a job of them, in any process. Running jobs go on.
   * - A pause of a target that is paused replaces the earlier one. It ends by itself after `forMs`, by the store's clock.
   * - With `extends` a pause that ends later stays as it is.
   * - A pause of every type and that of one type are two: a job is acquired when neither holds.
   */
  pause(params: PauseParams): Promise<void>;

  /** Ends pauses; commits at once. Answers for each target whether it was paused. */
  resume(params: { readonly targets: readonly PauseTarget[] }): Promise<readonly boolean[]>;

  /** The pauses that have not ended: that of every type first, then those of types by name. */
  getPauses(): Promise<readonly StatePause[]>;

  // ── limits ──────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Sets limits of job types; all or none, commits at once. True for each that was written.
   * - After it has resolved, each acquisition that begins obeys them, in any process. Running jobs count, and go on.
   * - A limit is replaced as a whole. The time of its tokens stays, so setting it again gives no start for free.
   * - A `declaration` is not written while the stored one has the same `hash` or a higher `revision`. A change at run
   *   time since then stays.
   */
  setLimits(params: SetLimitsParams): Promise<readonly boolean[]>;

  /**
   * Deletes limits; commits at once. True for each that was stored.
   * - After it has resolved, no acquisition that begins obeys them. Running jobs go on.
   * - A limit that is set again is a new one: all of its tokens are there.
   * - A pause of the same name stays.
   */
  deleteLimits(params: DeleteLimitsParams): Promise<readonly boolean[]>;

  /** The limits that are stored, with their use, by name. Those without bounds are among them. */
  getLimits(params: GetLimitsParams): Promise<readonly StateLimitState[]>;

  /** Limits by key. Left out: the store has none, and a client refuses them. */
  readonly limitKeys?: LimitKeyStore | undefined;

  // ── look ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Undefined for a job that does not exist. */
  getJobs(params: GetByIdsParams<TContext, TJobId>): Promise<readonly (StateJob | undefined)[]>;

  /** Undefined for a sequence that does not exist. `current` is the job at the highest position. */
  getSequences(
    params: GetByIdsParams<TContext, TJobId>,
  ): Promise<readonly (StateSequence | undefined)[]>;

  /** The sequences each job waits or waited for, in the order they were given; empty for none. */
  getBlockers(
    params: GetByIdsParams<TContext, TJobId>,
  ): Promise<readonly (readonly StateSequence[])[]>;

  /** The blockers and dependants of these sequences: every edge with one of them at either end. */
  listBlockerEdges(params: GetByIdsParams<TContext, TJobId>): Promise<readonly BlockerEdge[]>;

  /** One page of jobs by `ordinal`, strictly after `afterOrdinal` in the given order. */
  listJobs(params: ListJobsParams<TContext>): Promise<readonly StateJob[]>;

  /** One page of sequences by the `ordinal` of their first job. `statuses` is that of the current job. */
  listSequences(params: ListSequencesParams<TContext>): Promise<readonly StateSequence[]>;

  /** The state of the store for an operator, in one cheap statement. Counts failed jobs, not completed ones. */
  summarize(params: SummarizeParams<TContext>): Promise<StateSummary>;

  // ── operate ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Queries of operators. Workers do not call it. */
  readonly operator?: OperatorStore | undefined;
}

/** Any state adapter, as core holds it: the types are put back at the door. */
export type AnyStateAdapter = StateAdapter<
  BaseStateAdapterContext,
  BaseStateAdapterContext,
  string
>;

/** The transaction context of a state adapter, as users spread it into their calls. */
export type GetStateAdapterTxContext<TStateAdapter> =
  TStateAdapter extends StateAdapter<infer TTxContext, infer _TContext, infer _TJobId>
    ? TTxContext
    : never;

/** The context of a state adapter outside transactions. */
export type GetStateAdapterContext<TStateAdapter> =
  TStateAdapter extends StateAdapter<infer _TTxContext, infer TContext, infer _TJobId>
    ? TContext
    : never;

/** The type of a state adapter's job ids. */
export type GetStateAdapterJobId<TStateAdapter> =
  TStateAdapter extends StateAdapter<infer _TTxContext, infer _TContext, infer TJobId>
    ? TJobId
    : never;
