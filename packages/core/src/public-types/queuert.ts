// The methods of the client, typed by the definitions and the state adapter; `facade.ts` implements
// them. Each is generic in one type name and reads its definition alone. Only a call for all types
// distributes over all names.
import type { JobUpdate, UpdateJobResult } from "./update.ts";
import type { GetStateAdapterJobId, GetStateAdapterTxContext } from "../adapters/state-adapter.ts";
import type { JobTypes } from "../job-types/define-job-types.ts";
import type { AnyJobOf, JobSequenceOf } from "../job-types/job-of.ts";
import type { ExternalJobTypes } from "../job-types/references.ts";
import type { Page } from "../model/page.ts";
import type { CompletedJobSequence } from "../model/sequence.ts";
import type { JobStatus } from "../model/status.ts";
import type { CancelJobSequencesOptions, CancelJobSequencesResult } from "./cancel.ts";
import type { CheckOptions, CheckReport } from "./check.ts";
import type { CompleteJobSequenceOptions } from "./complete-sequence.ts";
import type { AutocommitOption, OptionalContext, StartContext } from "./context.ts";
import type { Explanation } from "./explanation.ts";
import type { Pause, PauseScope, PauseSettings, ResumeResult } from "./pause.ts";
import type {
  BlockerGraph,
  ListJobSequencesOptions,
  ListJobsOptions,
  WithStatus,
} from "./query.ts";
import type { RetentionOptions, RetryFailedJobResult, TriggerJobResult } from "./retention.ts";
import type {
  StartEachOptions,
  StartedEach,
  StartedJobSequence,
  StartJobSequenceOptions,
} from "./start.ts";
import type { LimitMethods } from "./limits.ts";
import type { ScheduleMethods } from "./schedules.ts";
import type { SignalMethods } from "./signals.ts";
import type { WorkerBuilder } from "./worker.ts";

/**
 * The client of one application: `Queuert<typeof jobTypes, typeof stateAdapter>`, by the result of `defineUnionJobTypes` or
 * by the definitions themselves.
 */
export type Queuert<TJobTypes, TStateAdapter> = QueuertClient<
  TJobTypes extends JobTypes<infer TDefinitions> ? TDefinitions : TJobTypes,
  GetStateAdapterTxContext<TStateAdapter>,
  GetStateAdapterJobId<TStateAdapter>
>;

/** A Queuert client, by the types of the state adapter that it depends on. */
export interface QueuertClient<TDefinitions, TTxContext, TJobId extends string>
  extends
    ScheduleMethods<TDefinitions, TTxContext, TJobId>,
    SignalMethods<TDefinitions, TTxContext, TJobId>,
    LimitMethods<TDefinitions> {
  // start

  /**
   * Starts a sequence, in the transaction of the given context. With `autocommit: true` instead of a
   * context the start commits by itself, in one round trip where the store can.
   */
  startJobSequence<
    TTypeName extends keyof TDefinitions & string,
    TAutocommit extends boolean | undefined = false,
  >(
    options: StartContext<TTxContext, TAutocommit> &
      AutocommitOption<TAutocommit> &
      StartJobSequenceOptions<TJobId, TDefinitions, TTxContext, TTypeName>,
    // Otherwise TypeScript 5 would infer the type's name from the expected type of `const { id, typeName } = await …`.
  ): Promise<StartedJobSequence<TJobId, TDefinitions, NoInfer<TTypeName>>>;

  /**
   * Starts many sequences with one statement per table, all or none, and returns them in the same
   * order. Takes a context, or `autocommit: true`.
   */
  startJobSequences<
    const TTypeNames extends readonly (keyof TDefinitions & string)[],
    TAutocommit extends boolean | undefined = false,
  >(
    options: StartContext<TTxContext, TAutocommit> &
      AutocommitOption<TAutocommit> & {
        readonly sequences: StartEachOptions<TJobId, TDefinitions, TTxContext, TTypeNames>;
      },
  ): Promise<StartedEach<TJobId, TDefinitions, TTypeNames>>;

  /** Sends the notifications of all writes in the callback together, once it has resolved. */
  withNotify<TResult>(callback: () => Promise<TResult>): Promise<TResult>;

  /** Runs the callback in a transaction of the provider, and sends its notifications after the commit. */
  transaction<TResult>(callback: (context: TTxContext) => Promise<TResult>): Promise<TResult>;

  // work

  createWorker(): WorkerBuilder<TJobId, TDefinitions, TTxContext>;

  // wait, complete and remove

  /**
   * Resolves with the completed sequence. Rejects when the sequence fails or does not exist, and after
   * `timeoutMs`.
   */
  waitForJobSequenceCompletion<TTypeName extends ExternalJobTypes<TDefinitions>>(options: {
    readonly typeName: TTypeName;
    readonly id: TJobId;
    /** Rejects with `WaitForJobSequenceCompletionTimeoutError` after this time. */
    readonly timeoutMs: number;
    /** How often the store is queried if no notification arrives. Default 100. */
    readonly pollIntervalMs?: number | undefined;
    /** Ends the wait: it then rejects with the reason of the signal. */
    readonly signal?: AbortSignal | undefined;
  }): Promise<
    CompletedJobSequence<JobSequenceOf<TJobId, TDefinitions, TTypeName & keyof TDefinitions>>
  >;

  /** Completes jobs of a sequence without a worker: the callback completes one or several in turn. */
  completeJobSequence<TTypeName extends ExternalJobTypes<TDefinitions>, TResult>(
    options: TTxContext &
      CompleteJobSequenceOptions<
        TJobId,
        TDefinitions,
        TTxContext,
        TTypeName & keyof TDefinitions,
        TResult
      >,
  ): Promise<TResult>;

  /**
   * Cancels sequences for good, with their trees: their jobs never run again. A running
   * handler is told by its signal (`signal.reason` is `"cancelled"`), and nothing of it is stored.
   */
  cancelJobSequences(
    options: OptionalContext<TTxContext> & CancelJobSequencesOptions<TJobId>,
  ): Promise<CancelJobSequencesResult<TJobId>>;

  /** Deletes whole trees by their roots: all of them, or none. */
  deleteJobSequences(
    options: TTxContext & {
      readonly rootSequenceIds: readonly TJobId[];
      /**
       * The trees outside with a job that waits for one of these. `"refuse"` (default): nothing is
       * deleted, and the call rejects with `JobSequencesStillBlockingError`. `"delete"`: deleted too.
       */
      readonly dependants?: "refuse" | "delete" | undefined;
    },
  ): Promise<{ readonly jobCount: number }>;

  /**
   * Runs one retention pass: deletes finished trees of the given ages, 100 in each transaction. The
   * `retention` of a worker does so at intervals.
   */
  deleteFinishedJobSequences(
    options: RetentionOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly jobCount: number }>;

  /**
   * Makes failed jobs due now, with their attempts counted from 0 again. A job that failed because of a
   * blocker is refused until the blocker is retried, earlier or in the same call.
   */
  retryFailedJobs(
    options: OptionalContext<TTxContext> & { readonly ids: readonly TJobId[] },
  ): Promise<readonly RetryFailedJobResult<TJobId>[]>;

  /**
   * Changes pending and blocked jobs, and failed ones before their retry: the input, the due time or the
   * priority. A job that runs, or has ended otherwise, is refused.
   */
  updateJobs(
    options: OptionalContext<TTxContext> & {
      readonly jobs: readonly JobUpdate<TJobId, TDefinitions, keyof TDefinitions & string>[];
    },
  ): Promise<readonly UpdateJobResult<TJobId>[]>;

  /** Makes pending jobs due now. */
  triggerJobs(
    options: OptionalContext<TTxContext> & { readonly ids: readonly TJobId[] },
  ): Promise<readonly TriggerJobResult<TJobId>[]>;

  // control

  /**
   * No job of these types begins any more, in any process, until `resume` or for `forMs`. Running jobs go
   * on, and starts are accepted. `everything: true` is a pause of its own, beside those of types.
   */
  pause(options: PauseScope<keyof TDefinitions & string> & PauseSettings): Promise<void>;

  /** Ends pauses. Idle workers are notified of the jobs that have been due meanwhile. */
  resume(options: PauseScope<keyof TDefinitions & string>): Promise<ResumeResult>;

  /** The pauses that have not ended. */
  getPauses(): Promise<readonly Pause<keyof TDefinitions & string>[]>;

  // query

  /** The job, or undefined. With `typeName`, only if it is of that type. */
  getJob<TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string>(
    options: OptionalContext<TTxContext> & {
      readonly id: TJobId;
      readonly typeName?: TTypeName | undefined;
    },
  ): Promise<AnyJobOf<TJobId, TDefinitions, TTypeName> | undefined>;

  /** The sequence, or undefined. With `typeName`, only if it starts with that type. */
  getJobSequence<TTypeName extends ExternalJobTypes<TDefinitions> = ExternalJobTypes<TDefinitions>>(
    options: OptionalContext<TTxContext> & {
      readonly id: TJobId;
      readonly typeName?: TTypeName | undefined;
    },
  ): Promise<JobSequenceOf<TJobId, TDefinitions, TTypeName & keyof TDefinitions> | undefined>;

  /** One page of jobs, by creation. */
  listJobs<
    TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string,
    TStatus extends JobStatus = JobStatus,
  >(
    options?: OptionalContext<TTxContext> &
      ListJobsOptions<TJobId, TTypeName, TStatus, ExternalJobTypes<TDefinitions>>,
  ): Promise<Page<WithStatus<AnyJobOf<TJobId, TDefinitions, TTypeName>, TStatus>>>;

  /** One page of sequences, by creation. */
  listJobSequences<
    TTypeName extends ExternalJobTypes<TDefinitions> = ExternalJobTypes<TDefinitions>,
    TStatus extends JobStatus = JobStatus,
  >(
    options?: OptionalContext<TTxContext> & ListJobSequencesOptions<TJobId, TTypeName, TStatus>,
  ): Promise<
    Page<WithStatus<JobSequenceOf<TJobId, TDefinitions, TTypeName & keyof TDefinitions>, TStatus>>
  >;

  /** The blockers and dependants around a sequence, and the reasons for waiting. */
  getBlockerGraph(
    options: OptionalContext<TTxContext> & { readonly sequenceId: TJobId },
  ): Promise<BlockerGraph<TJobId, ExternalJobTypes<TDefinitions>>>;

  /**
   * Why a job does not run, and how it goes on: its reasons, the job at the root of the cause, and remedies. An unknown id is
   * the reason `invisible`.
   */
  explain(options: OptionalContext<TTxContext> & { readonly id: TJobId }): Promise<Explanation>;

  /**
   * Compares the unfinished jobs of the store with the job types of this build, before it is deployed. A type that nothing
   * defines is found, and an input that its schema refuses. Needs a catalogue, or workers that have been started.
   */
  check(options?: CheckOptions): Promise<CheckReport<TJobId>>;

  /**
   * Stops the workers of this client, and closes its own resources. Adapters and providers that were
   * given stay open: they belong to your code.
   */
  close(): Promise<void>;
}
