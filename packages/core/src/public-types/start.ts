import type {
  CanRunWithout,
  IsContinuationOnly,
  IsSignal,
  MayHaveFailed,
  WrittenBlockers,
  WrittenInput,
} from "../job-types/definition.ts";
import type { JobOf, JobSequenceOf } from "../job-types/job-of.ts";
import type { BlockerJobTypes, HasBlockers } from "../job-types/references.ts";
import type { DeduplicationOptions } from "../model/deduplication.ts";
import type { CreatedJob, JobWithoutBlockers } from "../model/job.ts";
import type { ScheduleOptions } from "../model/schedule.ts";
import type { OnBlockerFailure } from "../model/state-job.ts";

export type { DeduplicationOptions, ReplacedField } from "../model/deduplication.ts";

/** The options of every new job. */
export interface NewJobOptions {
  /** When the job becomes due, by the clock of the store. Default: at once. */
  readonly schedule?: ScheduleOptions | undefined;
  /** From -32767 to 32767, higher first. Default 0. */
  readonly priority?: number | undefined;
}

/** A reference to a sequence. Every sequence object is one. */
export interface SequenceReference<TJobId extends string, TTypeName> {
  readonly id: TJobId;
  readonly typeName: TTypeName;
}

/** A job or a sequence, of any type. */
export interface ParentReference<TJobId extends string> {
  readonly id: TJobId;
  /** Left out: `id` is that of a sequence. */
  readonly sequenceId?: TJobId | undefined;
}

type SequenceReferences<TJobId extends string, TTypeNames extends readonly unknown[]> = {
  readonly [TIndex in keyof TTypeNames]: SequenceReference<TJobId, TTypeNames[TIndex]>;
};

type WaitAtMostMs<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  CanRunWithout<TDefinitions[TTypeName]> extends true
    ? number
    : `Error: job type '${TTypeName}' cannot run without its blockers: define each as DefineBlocker<…, 'optional'>`;

/** Types that declare blockers take these options, and only those types. */
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
         * `"wait"` (default): the job stays blocked until the failed blocker is retried. `"fail"`: the
         * job fails with its blocker. `"continue"`: the job also runs after blockers that have failed or
         * were cancelled, and finds them in `job.blockers`.
         */
        readonly onBlockerFailure?: BlockerFailure<TDefinitions, TTypeName> | undefined;
        /**
         * The longest wait, counted from the creation of the job. Then it runs, and finds null in the place of each
         * blocker that has not completed. Default: it waits without end.
         */
        readonly waitAtMostMs?: WaitAtMostMs<TDefinitions, TTypeName> | undefined;
      }
    : {
        readonly startBlockers?:
          | `Error: job type '${TTypeName}' declares no blockers, so it takes no startBlockers`
          | undefined;
        readonly onBlockerFailure?:
          | `Error: job type '${TTypeName}' declares no blockers, so it takes no onBlockerFailure`
          | undefined;
        readonly waitAtMostMs?:
          | `Error: job type '${TTypeName}' declares no blockers, so it takes no waitAtMostMs`
          | undefined;
      };

type BlockerFailure<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  | Exclude<OnBlockerFailure, "continue">
  | (MayHaveFailed<WrittenBlockers<TDefinitions[TTypeName]>[number]> extends true
      ? "continue"
      : `Error: "continue" needs blockers of job type '${TTypeName}' declared as DefineBlocker<…, "ended">`);

// `TAll` is the type parameter undistributed. For a name that does not exist, the compiler falls
// back to the union of all names. It must then print those names, not a sentence about each.
type EntryTypeName<TDefinitions, TTypeName extends keyof TDefinitions & string, TAll = TTypeName> =
  IsContinuationOnly<TDefinitions[TTypeName]> extends true
    ? [keyof TDefinitions & string] extends [TAll]
      ? never
      : `Error: job type '${TTypeName}' is reached by continueWith only, so no sequence can start with it`
    : IsSignal<TDefinitions[TTypeName]> extends true
      ? [keyof TDefinitions & string] extends [TAll]
        ? never
        : `Error: job type '${TTypeName}' is a signal: use sendSignals or expectSignal`
      : TTypeName;

/** A schedule gives an input and nothing else: types with blockers are started by a handler. */
export type SchedulableTypeName<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  HasBlockers<TDefinitions, TTypeName> extends true
    ? `Error: job type '${TTypeName}' declares blockers: schedule a type whose handler starts it`
    : EntryTypeName<TDefinitions, TTypeName>;

// An internal type takes any input here: the sentence about its name is enough.
type EntryInput<TDefinition> =
  IsContinuationOnly<TDefinition> extends true ? unknown : WrittenInput<TDefinition>;

/** The options of `startJobSequence`, besides the context of a transaction. */
export type StartJobSequenceOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = NewJobOptions & {
  readonly typeName: EntryTypeName<TDefinitions, TTypeName>;
  readonly input: EntryInput<TDefinitions[TTypeName]>;
  /**
   * The id of the new sequence, and of its first job, in the form that the store takes. If a sequence of this type has it
   * already, that one is returned with `deduplicated: true`. Not beside `deduplication`. Default: the store makes one.
   */
  readonly id?: TJobId | undefined;
  /** Returns the sequence that holds the key, instead of starting another. Default: none. */
  readonly deduplication?: DeduplicationOptions | undefined;
  /**
   * Puts the new sequence into the tree of this job or sequence: it is listed and deleted with that tree. Default: it
   * is a root. A sequence that is found by its key or its id stays in its own tree.
   */
  readonly parent?: ParentReference<TJobId> | undefined;
} & BlockerOptions<TJobId, TDefinitions, TTxContext, TTypeName>;

/**
 * The result of a start. `deduplicated`: a stored sequence holds the key or has the id, and was returned. `replaced`: this start has
 * overwritten fields of its waiting job.
 *
 * Internal types are left out one by one. In `const { id } = await …` the compiler evaluates this
 * type for every name, and would walk the rest of the chain from each.
 */
export type StartedJobSequence<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? IsContinuationOnly<TDefinitions[TTypeName]> extends true
    ? never
    : JobSequenceOf<TJobId, TDefinitions, TTypeName> & {
        readonly deduplicated: boolean;
        readonly replaced: boolean;
      }
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
