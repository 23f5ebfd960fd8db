// The facade: every method a user calls, typed by the definitions and the state adapter. Each is
// generic in one type name and looks its definition up; none distributes over all names unless it
// is asked for all of them.
import type { GetStateAdapterJobId, GetStateAdapterTxContext } from "../adapters/state-adapter.ts";
import type { JobTypes } from "../job-types/define-job-types.ts";
import type { AnyJobOf, JobSequenceOf } from "../job-types/job-of.ts";
import type { ExternalJobTypes } from "../job-types/references.ts";
import type { Page } from "../model/page.ts";
import type { CompletedJobSequence } from "../model/sequence.ts";
import type { JobStatus } from "../model/status.ts";
import type { CompleteJobSequenceOptions } from "./complete-sequence.ts";
import type { AutocommitOption, OptionalContext, StartContext } from "./context.ts";
import type { BlockerGraph, ListJobSequencesOptions, ListJobsOptions, WithStatus } from "./look.ts";
import type { RetentionOptions, RetryFailedJobResult, TriggerJobResult } from "./maintain.ts";
import type {
  StartEachOptions,
  StartedEach,
  StartedJobSequence,
  StartJobSequenceOptions,
} from "./start.ts";
import type { WorkerBuilder } from "./worker.ts";

/**
 * The client of one application: `Queuert<typeof jobTypes, typeof stateAdapter>`, with what `defineUnionJobTypes` gave, or
 * with the definitions themselves.
 */
export type Queuert<TJobTypes, TStateAdapter> = QueuertClient<
  TJobTypes extends JobTypes<infer TDefinitions> ? TDefinitions : TJobTypes,
  GetStateAdapterTxContext<TStateAdapter>,
  GetStateAdapterJobId<TStateAdapter>
>;

/** A Queuert client, by the parts of the state adapter that its types depend on. */
export interface QueuertClient<TDefinitions, TTxContext, TJobId extends string> {
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
    // What `const { id, typeName } = await …` expects would be taken for the type's name by TypeScript 5.
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

  /** Sends the notifications of everything in the callback once it has resolved, gathered. */
  withNotify<TResult>(callback: () => Promise<TResult>): Promise<TResult>;

  /** A transaction of the provider, and `withNotify` around it. */
  transaction<TResult>(callback: (context: TTxContext) => Promise<TResult>): Promise<TResult>;

  // work

  createWorker(): WorkerBuilder<TJobId, TDefinitions, TTxContext>;

  // wait, complete and remove

  /**
   * Resolves with the completed sequence; rejects when it fails, is not there, or the time is up.
   */
  waitForJobSequenceCompletion<TTypeName extends ExternalJobTypes<TDefinitions>>(options: {
    readonly typeName: TTypeName;
    readonly id: TJobId;
    readonly timeoutMs: number;
    readonly pollIntervalMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<
    CompletedJobSequence<JobSequenceOf<TJobId, TDefinitions, TTypeName & keyof TDefinitions>>
  >;

  /** Completes jobs of a sequence without a worker, as many steps as the callback takes. */
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

  /** Deletes whole trees by their roots; all or nothing. */
  deleteJobSequences(
    options: TTxContext & { readonly rootSequenceIds: readonly TJobId[] },
  ): Promise<{ readonly jobCount: number }>;

  /**
   * Deletes finished trees that are old enough, in transactions of its own, 100 trees in each. The `retention` of a
   * worker does the same at intervals.
   */
  deleteFinishedJobSequences(
    options: RetentionOptions & { readonly signal?: AbortSignal },
  ): Promise<{ readonly jobCount: number }>;

  /**
   * Makes failed jobs due now, with their attempts counted afresh. A job that failed with its blocker is refused until that
   * one is retried: before it, or in the same call.
   */
  retryFailedJobs(
    options: OptionalContext<TTxContext> & { readonly ids: readonly TJobId[] },
  ): Promise<readonly RetryFailedJobResult<TJobId>[]>;

  /** Makes pending jobs due now. */
  triggerJobs(
    options: OptionalContext<TTxContext> & { readonly ids: readonly TJobId[] },
  ): Promise<readonly TriggerJobResult<TJobId>[]>;

  // look

  /** The job, or undefined. With `typeName`, only if it is of that type. */
  getJob<TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string>(
    options: OptionalContext<TTxContext> & {
      readonly id: TJobId;
      readonly typeName?: TTypeName;
    },
  ): Promise<AnyJobOf<TJobId, TDefinitions, TTypeName> | undefined>;

  /** The sequence, or undefined. With `typeName`, only if it starts with that type. */
  getJobSequence<TTypeName extends ExternalJobTypes<TDefinitions> = ExternalJobTypes<TDefinitions>>(
    options: OptionalContext<TTxContext> & {
      readonly id: TJobId;
      readonly typeName?: TTypeName;
    },
  ): Promise<JobSequenceOf<TJobId, TDefinitions, TTypeName & keyof TDefinitions> | undefined>;

  /** One page of jobs, by creation. */
  listJobs<
    TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string,
    TStatus extends JobStatus = JobStatus,
  >(
    options?: OptionalContext<TTxContext> & ListJobsOptions<TJobId, TTypeName, TStatus>,
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

  /** Who waits for whom around a sequence, and why. */
  getBlockerGraph(
    options: OptionalContext<TTxContext> & { readonly sequenceId: TJobId },
  ): Promise<BlockerGraph<TJobId, ExternalJobTypes<TDefinitions>>>;

  /**
   * Stops the workers that were started here and ends what the client keeps open. Adapters and
   * providers that were given stay open: they belong to whoever made them.
   */
  close(): Promise<void>;
}
