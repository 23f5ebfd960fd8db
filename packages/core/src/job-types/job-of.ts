// The entities of one job type, with everything its definition says about them filled in.
import type {
  ContinuedState,
  CreatedState,
  EndedState,
  Job,
  JobInState,
  RunningState,
} from "../model/job.ts";
import type { CompletedJobSequence, EndedJobSequence, JobSequence } from "../model/sequence.ts";
import type {
  BlockerName,
  IsCoded,
  MayHaveFailed,
  NullIfOptional,
  WrittenBlockers,
  WrittenInput,
  WrittenOutput,
} from "./definition.ts";
import type { Jsonified, JsonValue } from "./json.ts";
import type { SequenceJobTypes, SequenceTypesReaching } from "./references.ts";

/** A payload as it is read: as JSON leaves it, or with a codec as it was written. */
type Read<TDefinition, TPayload> = [TPayload] extends [JsonValue]
  ? TPayload
  : IsCoded<TDefinition> extends true
    ? TPayload
    : Jsonified<TPayload>;

/** The input of a job type as it is read, with the marker of internal types taken off. */
export type JobInput<TDefinitions, TTypeName extends keyof TDefinitions> = Read<
  TDefinitions[TTypeName],
  WrittenInput<TDefinitions[TTypeName]>
>;

/** The output of a job type as it is read; never if it always continues. */
export type JobOutput<TDefinitions, TTypeName extends keyof TDefinitions> = Read<
  TDefinitions[TTypeName],
  WrittenOutput<TDefinitions[TTypeName]>
>;

/** The job of a job type; for a union of type names, the union of their jobs. */
export type JobOf<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
  TSequenceTypeName extends string = SequenceTypesReaching<TDefinitions, TTypeName>,
> = TTypeName extends unknown
  ? Job<
      TJobId,
      TTypeName,
      JobInput<TDefinitions, TTypeName>,
      BlockerSequences<TJobId, TDefinitions, TTypeName>,
      TSequenceTypeName,
      JobOutput<TDefinitions, TTypeName>
    >
  : never;

/** The union of the jobs of several types, each with the sequence types of its own. */
export type AnyJobOf<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown ? JobOf<TJobId, TDefinitions, TTypeName> : never;

/**
 * The sequence that starts with a job type; for a union of type names, the union of their
 * sequences.
 */
export type JobSequenceOf<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? JobSequence<
      TJobId,
      TTypeName,
      JobInput<TDefinitions, TTypeName>,
      SequenceOutput<TDefinitions, TTypeName>
    >
  : never;

/** The output of a sequence: the union of the outputs of all its job types that end it. */
export type SequenceOutput<TDefinitions, TTypeName extends keyof TDefinitions> = OutputOfEach<
  TDefinitions,
  SequenceJobTypes<TDefinitions, TTypeName>
>;

type OutputOfEach<TDefinitions, TTypeName> = TTypeName extends keyof TDefinitions
  ? JobOutput<TDefinitions, TTypeName>
  : never;

/** The sequences a job of this type waits for, in the order of its `blockers`. */
export type BlockerSequences<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions,
> = SequencesOfBlockers<TJobId, TDefinitions, WrittenBlockers<TDefinitions[TTypeName]>>;

type SequencesOfBlockers<
  TJobId extends string,
  TDefinitions,
  TBlockers extends readonly unknown[],
> = {
  readonly [TIndex in keyof TBlockers]: SequenceOfBlocker<
    TJobId,
    TDefinitions,
    BlockerName<TBlockers[TIndex]>
  >;
};

type SequenceOfBlocker<
  TJobId extends string,
  TDefinitions,
  TTypeName,
> = TTypeName extends keyof TDefinitions & string
  ? JobSequenceOf<TJobId, TDefinitions, TTypeName>
  : never;

/**
 * The blockers of a job that runs: completed, with their outputs. Those declared `"ended"` may also have failed, and one
 * declared `"optional"` is null if the wait has ended before it.
 */
export type CompletedBlockerSequences<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions,
> = EachAwaited<TJobId, TDefinitions, WrittenBlockers<TDefinitions[TTypeName]>>;

type EachAwaited<TJobId extends string, TDefinitions, TBlockers extends readonly unknown[]> = {
  readonly [TIndex in keyof TBlockers]:
    | AwaitedSequence<
        SequenceOfBlocker<TJobId, TDefinitions, BlockerName<TBlockers[TIndex]>>,
        MayHaveFailed<TBlockers[TIndex]>
      >
    | NullIfOptional<TBlockers[TIndex]>;
};

type AwaitedSequence<TSequence, TMayHaveFailed> = TMayHaveFailed extends true
  ? EndedJobSequence<TSequence>
  : CompletedJobSequence<TSequence>;

/** The job given to a process function: running, its blockers ended. */
export type ProcessedJobOf<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = JobInState<
  RunningState,
  TJobId,
  TTypeName,
  JobInput<TDefinitions, TTypeName>,
  CompletedBlockerSequences<TJobId, TDefinitions, TTypeName>,
  SequenceTypesReaching<TDefinitions, TTypeName>
>;

// The jobs of `completeJobSequence`. For a union of type names, the union of their jobs.

/** A job of a sequence, in some of its states. */
export type JobOfSequence<
  TState,
  TJobId extends string,
  TDefinitions,
  TSequenceTypeName extends string,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? JobInState<
      TState,
      TJobId,
      TTypeName,
      JobInput<TDefinitions, TTypeName>,
      BlockerSequences<TJobId, TDefinitions, TTypeName>,
      TSequenceTypeName
    >
  : never;

/**
 * A job that continues a sequence. Its name is not bounded: while it is still to be inferred, the compiler would make the jobs
 * of all names.
 */
export type NextJobOfSequence<
  TJobId extends string,
  TDefinitions,
  TSequenceTypeName extends string,
  TNext,
> = TNext extends keyof TDefinitions & string
  ? JobOfSequence<CreatedState, TJobId, TDefinitions, TSequenceTypeName, TNext>
  : never;

/** A completed job of a sequence. */
export type CompletedJobOfSequence<
  TJobId extends string,
  TDefinitions,
  TSequenceTypeName extends string,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? JobOfSequence<
      EndedState<JobOutput<TDefinitions, TTypeName>> | ContinuedState<TJobId>,
      TJobId,
      TDefinitions,
      TSequenceTypeName,
      TTypeName
    >
  : never;
