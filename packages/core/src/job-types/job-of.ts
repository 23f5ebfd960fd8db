// The entities of one job type, with everything its definition says about them filled in.
import type { Job, RunningJob } from "../model/job.ts";
import type { CompletedJobSequence, JobSequence } from "../model/sequence.ts";
import type { BlockerName, WrittenBlockers, WrittenInput, WrittenOutput } from "./definition.ts";
import type { Jsonified } from "./json.ts";
import type { SequenceJobTypes, SequenceTypesReaching } from "./references.ts";

/** The input of a job type as it is read: JSON, with the marker of internal types taken off. */
export type JobInput<TDefinitions, TTypeName extends keyof TDefinitions> = Jsonified<
  WrittenInput<TDefinitions[TTypeName]>
>;

/** The output of a job type as it is read; never if it always continues. */
export type JobOutput<TDefinitions, TTypeName extends keyof TDefinitions> = Jsonified<
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

/** The blockers of a job that runs: all of them have completed, so their outputs are there. */
export type CompletedBlockerSequences<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions,
> = EachCompleted<BlockerSequences<TJobId, TDefinitions, TTypeName>>;

type EachCompleted<TSequences extends readonly unknown[]> = {
  readonly [TIndex in keyof TSequences]: CompletedJobSequence<TSequences[TIndex]>;
};

/** The job given to a process function: running, its blockers completed. */
export type ProcessedJobOf<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = RunningJob<
  Job<
    TJobId,
    TTypeName,
    JobInput<TDefinitions, TTypeName>,
    CompletedBlockerSequences<TJobId, TDefinitions, TTypeName>,
    SequenceTypesReaching<TDefinitions, TTypeName>
  >
>;
