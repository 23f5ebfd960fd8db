import type { JobStatus } from "./status.ts";

interface JobSequenceFields<TJobId extends string, TTypeName extends string, TInput> {
  /** The id of the sequence's first job. */
  readonly id: TJobId;
  /** The type of the first job. */
  readonly typeName: TTypeName;
  /** The job that started the sequence as one of its blockers; null for none. */
  readonly originId: TJobId | null;
  /** The sequence at the root of the tree; its own id for a root. */
  readonly rootSequenceId: TJobId;
  readonly input: TInput;
  readonly createdAt: Date;
  /** The last job so far: the one whose status is the sequence's. */
  readonly currentJobId: TJobId;
}

interface UnfinishedSequenceState {
  readonly status: "blocked" | "pending" | "running";
}

interface CompletedSequenceState<TOutput> {
  readonly status: "completed";
  readonly output: TOutput;
  readonly completedAt: Date;
}

interface FailedSequenceState {
  readonly status: "failed";
  /** The last error of the job that failed. */
  readonly error: string;
  readonly failedAt: Date;
}

/** That of the sequence's current job. */
export type JobSequenceStatus = JobStatus;

/** A chain of jobs, known by its first one. Its status is that of its current job. */
export type JobSequence<
  TJobId extends string = string,
  TTypeName extends string = string,
  TInput = unknown,
  TOutput = unknown,
> = JobSequenceFields<TJobId, TTypeName, TInput> &
  (UnfinishedSequenceState | CompletedSequenceState<TOutput> | FailedSequenceState);

/** A sequence that ended with an output. */
export type CompletedJobSequence<TSequence = JobSequence> = Extract<
  TSequence,
  { readonly status: "completed" }
>;

/** A sequence whose last job failed. */
export type FailedJobSequence<TSequence = JobSequence> = Extract<
  TSequence,
  { readonly status: "failed" }
>;
