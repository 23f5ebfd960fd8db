import type { IsContinuationOnly, WrittenInput } from "../job-types/definition.ts";
import type { JobOf, JobSequenceOf } from "../job-types/job-of.ts";
import type { BlockerJobTypes, HasBlockers } from "../job-types/references.ts";
import type { DeduplicationOptions } from "../model/deduplication.ts";
import type { CreatedJob, JobWithoutBlockers } from "../model/job.ts";
import type { ScheduleOptions } from "../model/schedule.ts";
import type { OnBlockerFailure } from "../model/state-job.ts";

export type { DeduplicationOptions } from "../model/deduplication.ts";

/** What any new job may be given. */
export interface NewJobOptions {
  readonly schedule?: ScheduleOptions;
  /** Higher first; 0 by default. */
  readonly priority?: number;
}

/** What names a sequence: any sequence object will do. */
export interface SequenceReference<TJobId extends string, TTypeName> {
  readonly id: TJobId;
  readonly typeName: TTypeName;
}

type SequenceReferences<TJobId extends string, TTypeNames extends readonly unknown[]> = {
  readonly [TIndex in keyof TTypeNames]: SequenceReference<TJobId, TTypeNames[TIndex]>;
};

/** Blockers are given exactly to the types that declare them. */
export type BlockerOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> =
  HasBlockers<TDefinitions, TTypeName> extends true
    ? {
        /**
         * Starts the sequences that the job waits for, or finds existing ones, in the order of
         * `blockers`. It is given the context of the job's transaction: spread it into the starts.
         */
        readonly startBlockers: (
          options: TTxContext & {
            readonly job: JobWithoutBlockers<CreatedJob<JobOf<TJobId, TDefinitions, TTypeName>>>;
          },
        ) => Promise<SequenceReferences<TJobId, BlockerJobTypes<TDefinitions, TTypeName>>>;
        /**
         * `"wait"` (default): stay blocked until the failed blocker is retried. `"fail"`: fail too.
         */
        readonly onBlockerFailure?: OnBlockerFailure;
      }
    : {
        readonly startBlockers?: `Error: job type '${TTypeName}' declares no blockers, so it takes no startBlockers`;
        readonly onBlockerFailure?: `Error: job type '${TTypeName}' declares no blockers, so it takes no onBlockerFailure`;
      };

// `TAll` is the type parameter undistributed: for a name that does not exist the compiler falls
// back to the union of all names, and must then print those, not a sentence about each.
type EntryTypeName<TDefinitions, TTypeName extends keyof TDefinitions & string, TAll = TTypeName> =
  IsContinuationOnly<TDefinitions[TTypeName]> extends true
    ? [keyof TDefinitions & string] extends [TAll]
      ? never
      : `Error: job type '${TTypeName}' is reached by continueWith only, so no sequence can start with it`
    : TTypeName;

// Whatever is given to an internal type: the sentence about its name is enough.
type EntryInput<TDefinition> =
  IsContinuationOnly<TDefinition> extends true ? unknown : WrittenInput<TDefinition>;

/** What `startJobSequence` takes, besides the context of the transaction. */
export type StartJobSequenceOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = NewJobOptions & {
  readonly typeName: EntryTypeName<TDefinitions, TTypeName>;
  readonly input: EntryInput<TDefinitions[TTypeName]>;
  readonly deduplication?: DeduplicationOptions;
} & BlockerOptions<TJobId, TDefinitions, TTxContext, TTypeName>;

/**
 * A sequence as a start answers it; `deduplicated` if it was there already.
 *
 * Internal types are left out one by one: in `const { id } = await …` the compiler looks at this
 * for every name, and would walk the rest of the chain from each.
 */
export type StartedJobSequence<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? IsContinuationOnly<TDefinitions[TTypeName]> extends true
    ? never
    : JobSequenceOf<TJobId, TDefinitions, TTypeName> & { readonly deduplicated: boolean }
  : never;

/** One element of `startJobSequences` per type name, in order. */
export type StartEachOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeNames extends readonly (keyof TDefinitions & string)[],
> = readonly [
  ...{
    [TIndex in keyof TTypeNames]: StartJobSequenceOptions<
      TJobId,
      TDefinitions,
      TTxContext,
      TTypeNames[TIndex]
    >;
  },
];

/** One started sequence per type name, in order. */
export type StartedEach<
  TJobId extends string,
  TDefinitions,
  TTypeNames extends readonly (keyof TDefinitions & string)[],
> = {
  readonly [TIndex in keyof TTypeNames]: StartedJobSequence<
    TJobId,
    TDefinitions,
    TTypeNames[TIndex]
  >;
};
