import type { WrittenInput, WrittenOutput } from "../job-types/definition.ts";
import type { ProcessedJobOf } from "../job-types/job-of.ts";
import type { ContinuationJobTypes } from "../job-types/references.ts";
import type { JobAbortReason, TypedAbortSignal } from "./abort.ts";
import type { WithoutBlockersTypeName } from "./continue.ts";
import type { BlockerOptions, NewJobOptions } from "./start.ts";
import type { HandlerOptions, ImplementableTypeName } from "./worker.ts";

declare const completion: unique symbol;

/**
 * The result of `complete`, which a batch handler must return: without it no job has an outcome. If it is forgotten, the
 * compiler prints the type parameter.
 */
export interface BatchCompletion<TRule extends string = "return the result of complete(…)"> {
  readonly [completion]: TRule;
}

/** When jobs are processed together. The store decides, so it holds for all workers of the type together. */
export interface BatchOptions {
  /** The most jobs of one call, from 1 to 1000. */
  readonly maxSize: number;
  /** A batch waits until this many jobs are due, or one has been due for `maxWaitMs`. Default 1: no job waits for others. */
  readonly minSize?: number | undefined;
  /** The longest that a due job waits for others. Default 1000. */
  readonly maxWaitMs?: number | undefined;
  /**
   * A batch has jobs of one limit key, and those of each key wait for each other. Keys take turns. Jobs without a key are batches of
   * their own. Default false: jobs under keys do not wait for others, and a batch may mix their keys.
   */
  readonly perKey?: boolean | undefined;
}

interface NoOutcome {
  readonly output?: undefined;
  readonly continueWith?: undefined;
  readonly error?: undefined;
  readonly retryAfterMs?: undefined;
}

/** The job has ended its sequence, with this output. */
type OutputOutcome<TDefinition> = [WrittenOutput<TDefinition>] extends [never]
  ? never
  : Omit<NoOutcome, "output"> & { readonly output: WrittenOutput<TDefinition> };

interface ErrorOutcome extends Omit<NoOutcome, "error"> {
  /** The attempt has failed with this error: the job is retried by the type's `retryConfig`, or has failed. */
  readonly error: NonNullable<unknown>;
}

interface RetryOutcome extends Omit<NoOutcome, "retryAfterMs"> {
  /** The job is due again after this time. The attempt does not count, as with `rescheduleJob`. */
  readonly retryAfterMs: number;
}

type ContinueOutcome<TNext> = Omit<NoOutcome, "continueWith"> & { readonly continueWith: TNext };

type ContinuationNamesOf<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = ContinuationJobTypes<TDefinitions, TTypeName> & keyof TDefinitions & string;

type ContinueByValue<TDefinitions, TTypeName extends keyof TDefinitions & string> = {
  [TNext in ContinuationNamesOf<TDefinitions, TTypeName>]: ContinueOutcome<
    NewJobOptions & {
      readonly typeName: WithoutBlockersTypeName<TDefinitions, TNext>;
      readonly input: WrittenInput<TDefinitions[TNext]>;
    }
  >;
}[ContinuationNamesOf<TDefinitions, TTypeName>];

type ContinueInTransaction<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = {
  [TNext in ContinuationNamesOf<TDefinitions, TTypeName>]: ContinueOutcome<
    NewJobOptions & {
      readonly typeName: TNext;
      readonly input: WrittenInput<TDefinitions[TNext]>;
    } & BlockerOptions<TJobId, TDefinitions, TTxContext, TNext>
  >;
}[ContinuationNamesOf<TDefinitions, TTypeName>];

/** The outcome of one job of a batch, by value: exactly one of its fields. */
export type BatchOutcome<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  | OutputOutcome<TDefinitions[TTypeName]>
  | ErrorOutcome
  | RetryOutcome
  | ContinueByValue<TDefinitions, TTypeName>;

/** The outcome of one job of a batch, by callback: a continuation may also start blockers. */
export type BatchOutcomeInTransaction<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> =
  | OutputOutcome<TDefinitions[TTypeName]>
  | ErrorOutcome
  | RetryOutcome
  | ContinueInTransaction<TJobId, TDefinitions, TTxContext, TTypeName>;

/** The argument of a batch handler. */
export interface BatchContext<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> {
  /** From one to `maxSize` jobs, in the order in which they were due. */
  readonly jobs: readonly ProcessedJobOf<TJobId, TDefinitions, TTypeName>[];
  /** Aborted when no job of the batch can be completed any more, and at a shutdown. */
  readonly signal: TypedAbortSignal<JobAbortReason>;
  /**
   * Gives each job its outcome, in the order of `jobs`: by value, or by callback in one transaction with the user's writes.
   * A job without an outcome has failed. If the handler throws, every job has failed.
   *
   * By callback the completions commit together. If the lease of one job was lost, nothing is stored. The others are due
   * again at once, and this attempt of theirs does not count.
   */
  readonly complete: (
    outcomes:
      | readonly BatchOutcome<TDefinitions, TTypeName>[]
      | ((
          context: TTxContext,
        ) =>
          | readonly BatchOutcomeInTransaction<TJobId, TDefinitions, TTxContext, TTypeName>[]
          | Promise<
              readonly BatchOutcomeInTransaction<TJobId, TDefinitions, TTxContext, TTypeName>[]
            >),
  ) => Promise<BatchCompletion>;
}

/** The options of `implementJobTypeBatch`. */
export interface ImplementJobTypeBatchOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
  TImplemented extends string,
> extends HandlerOptions<TTxContext> {
  /** The job type, which this worker does not implement yet. */
  readonly typeName: ImplementableTypeName<TDefinitions, TTypeName, TImplemented>;
  /** How many jobs are processed together, and how long they wait for each other. */
  readonly batch: BatchOptions;
  /** Does the work of the jobs, and returns the result of `complete`. */
  readonly process: (
    context: BatchContext<TJobId, TDefinitions, TTxContext, TTypeName>,
  ) => Promise<BatchCompletion>;
}
