// The type helpers that users see. Each takes the definitions, or `typeof jobTypes` as it is. The walk uses the helpers of
// `job-types`, which take definitions alone and cost the compiler less.
import type { JobTypes } from "../job-types/define-job-types.ts";
import type * as jobOf from "../job-types/job-of.ts";
import type * as references from "../job-types/references.ts";

/** The definitions of `typeof jobTypes`; definitions stay as they are. */
type In<T> = T extends JobTypes<infer TDefinitions> ? TDefinitions : T;

/** The names of `T`. With `keyof T`, so that helpers work in generic functions over definitions. */
type NameIn<T> = (keyof T | keyof In<T>) & string;

/** `TTypeName`, as a name of the definitions. */
type Name<T, TTypeName> = TTypeName & keyof In<T> & string;

/** The input of a job type as it is read: JSON, with the marker of internal types taken off. */
export type JobInput<T, TTypeName extends NameIn<T>> = jobOf.JobInput<In<T>, Name<T, TTypeName>>;

/** The output of a job type as it is read; never if it always continues. */
export type JobOutput<T, TTypeName extends NameIn<T>> = jobOf.JobOutput<In<T>, Name<T, TTypeName>>;

/** The job of a job type; for a union of type names, the union of their jobs. */
export type JobOf<
  TJobId extends string,
  T,
  TTypeName extends NameIn<T>,
  TSequenceTypeName extends string = SequenceTypesReaching<T, TTypeName>,
> = jobOf.JobOf<TJobId, In<T>, Name<T, TTypeName>, TSequenceTypeName>;

/** The union of the jobs of several types, each with the sequence types of its own. */
export type AnyJobOf<TJobId extends string, T, TTypeName extends NameIn<T>> = jobOf.AnyJobOf<
  TJobId,
  In<T>,
  Name<T, TTypeName>
>;

/** The job given to a process function: running, its blockers completed. */
export type ProcessedJobOf<
  TJobId extends string,
  T,
  TTypeName extends NameIn<T>,
> = jobOf.ProcessedJobOf<TJobId, In<T>, Name<T, TTypeName>>;

/** The sequence that starts with a job type; for a union of type names, the union of their sequences. */
export type JobSequenceOf<
  TJobId extends string,
  T,
  TTypeName extends NameIn<T>,
> = jobOf.JobSequenceOf<TJobId, In<T>, Name<T, TTypeName>>;

/** The output of a sequence: the union of the outputs of all its job types that end it. */
export type SequenceOutput<T, TTypeName extends NameIn<T>> = jobOf.SequenceOutput<
  In<T>,
  Name<T, TTypeName>
>;

/** The sequences that a job of this type waits for, in the order of its `blockers`. */
export type BlockerSequences<
  TJobId extends string,
  T,
  TTypeName extends NameIn<T>,
> = jobOf.BlockerSequences<TJobId, In<T>, Name<T, TTypeName>>;

/** The blockers of a job that runs: completed, with their outputs, or null for an optional one that has not come. */
export type CompletedBlockerSequences<
  TJobId extends string,
  T,
  TTypeName extends NameIn<T>,
> = jobOf.CompletedBlockerSequences<TJobId, In<T>, Name<T, TTypeName>>;

/** The definitions of the job types that a sequence can start with: all but those marked with `DefineContinuationInput`. */
export type ExternalJobTypeDefinitions<T> = references.ExternalJobTypeDefinitions<In<T>>;

/** The names of the job types that a sequence can start with. */
export type ExternalJobTypes<T> = references.ExternalJobTypes<In<T>>;

/** The job types that a job of this type can continue to. */
export type ContinuationJobTypes<T, TTypeName extends NameIn<T>> = references.ContinuationJobTypes<
  In<T>,
  Name<T, TTypeName>
>;

/** Every job type that can occur in a sequence that starts with this one, itself included. */
export type SequenceJobTypes<T, TSequenceTypeName extends NameIn<T>> = references.SequenceJobTypes<
  In<T>,
  Name<T, TSequenceTypeName>
>;

/** Every sequence type in which a job of this type can occur: the inverse of `SequenceJobTypes`. */
export type SequenceTypesReaching<
  T,
  TTypeName extends NameIn<T>,
> = references.SequenceTypesReaching<In<T>, Name<T, TTypeName>>;

/** Whether jobs of this type wait for blockers, and so must be given `startBlockers`. */
export type HasBlockers<T, TTypeName extends NameIn<T>> = references.HasBlockers<
  In<T>,
  Name<T, TTypeName>
>;

/** The names of the sequence types in the blockers of a job type, in order. */
export type BlockerJobTypes<T, TTypeName extends NameIn<T>> = references.BlockerJobTypes<
  In<T>,
  Name<T, TTypeName>
>;
