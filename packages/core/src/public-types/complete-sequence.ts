import type {
  CompletedJobOfSequence,
  JobOfSequence,
  NextJobOfSequence,
} from "../job-types/job-of.ts";
import type { SequenceJobTypes } from "../job-types/references.ts";
import type { UnfinishedState } from "../model/job.ts";
import type { Continuation, IsUnion } from "./continue.ts";
import type { CompleteCallback } from "./process.ts";

type JobTypesOfSequence<TDefinitions, TTypeName extends keyof TDefinitions> = SequenceJobTypes<
  TDefinitions,
  TTypeName
> &
  keyof TDefinitions &
  string;

// The outputs of a union of types cannot be told apart: the caller has to say which job it
// completes.
type NarrowedTypeName<TName extends string> =
  IsUnion<TName> extends true
    ? "Error: narrow the job by its typeName before completing it"
    : TName;

type CompletedWith<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
  TName extends keyof TDefinitions & string,
  TResult,
> =
  TResult extends Continuation<infer TNext>
    ? NextJobOfSequence<TJobId, TDefinitions, TTypeName, TNext>
    : CompletedJobOfSequence<TJobId, TDefinitions, TTypeName, TName>;

/**
 * `complete` inside `completeJobSequence`: answers the completed job, or the next one when it was
 * continued.
 */
export type CompleteWithoutWorker<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = <
  TName extends JobTypesOfSequence<TDefinitions, TTypeName>,
  TResult extends Awaited<ReturnType<CompleteCallback<TJobId, TDefinitions, TTxContext, TName>>>,
>(
  job: { readonly id: TJobId; readonly typeName: NarrowedTypeName<TName> },
  callback: (
    ...context: Parameters<CompleteCallback<TJobId, TDefinitions, TTxContext, TName>>
  ) => TResult | Promise<TResult>,
) => Promise<CompletedWith<TJobId, TDefinitions, TTypeName, TName, TResult>>;

/** The options of `completeJobSequence`, besides the context of the transaction. */
export interface CompleteJobSequenceOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
  TResult,
> {
  /** The type of the sequence's first job. */
  readonly typeName: TTypeName;
  /** The sequence. */
  readonly id: TJobId;
  /** Gets the current job, and completes it: once, or again for each job that continues it. */
  readonly complete: (
    context: NoInfer<{
      readonly job: JobOfSequence<
        UnfinishedState,
        TJobId,
        TDefinitions,
        TTypeName,
        JobTypesOfSequence<TDefinitions, TTypeName>
      >;
      readonly complete: CompleteWithoutWorker<TJobId, TDefinitions, TTxContext, TTypeName>;
    }>,
  ) => Promise<TResult>;
}
