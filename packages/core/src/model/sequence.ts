import { fromJsonText, type PayloadCodec } from "./payload.ts";
import { cancelReasonOf } from "./job.ts";
import type { StateJob, StateSequence } from "./state-job.ts";
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

interface CancelledSequenceState {
  readonly status: "cancelled";
  readonly cancelledAt: Date;
  /** As given to `cancelJobSequences`; null if none was given. */
  readonly cancelReason: string | null;
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
  (
    | UnfinishedSequenceState
    | CompletedSequenceState<TOutput>
    | FailedSequenceState
    | CancelledSequenceState
  );

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

/** A sequence that was cancelled. */
export type CancelledJobSequence<TSequence = JobSequence> = Extract<
  TSequence,
  { readonly status: "cancelled" }
>;

/** A sequence that completed, failed or was cancelled. */
export type EndedJobSequence<TSequence = JobSequence> = Extract<
  TSequence,
  { readonly status: "completed" | "failed" | "cancelled" }
>;

/** A stored sequence as users see it: its first job's identity, its current job's status. */
export const toJobSequence = (
  codec: PayloadCodec | null,
  { first, current }: StateSequence,
): JobSequence => {
  const sequence = {
    id: first.id,
    typeName: first.typeName,
    originId: first.originId,
    rootSequenceId: first.rootSequenceId,
    input: fromJsonText(first.input, first.id, codec),
    createdAt: first.createdAt,
    currentJobId: current.id,
    // A completed job that has continued would have another for its current one.
    status: current.status,
  };
  const ended = endOfSequence(codec, current);
  return (ended === null ? sequence : { ...sequence, ...ended }) as JobSequence;
};

/** The same for several. */
export const toJobSequences = (
  codec: PayloadCodec | null,
  sequences: readonly StateSequence[],
): readonly JobSequence[] => sequences.map((sequence) => toJobSequence(codec, sequence));

const endOfSequence = (
  codec: PayloadCodec | null,
  current: StateJob,
): Record<string, unknown> | null => {
  if (current.status === "completed" && current.continuedToId === null) {
    return {
      status: "completed",
      output: current.output === null ? undefined : fromJsonText(current.output, current.id, codec),
      completedAt: current.finishedAt,
    };
  }
  if (current.status === "failed") {
    return {
      status: "failed",
      error: current.lastAttemptError ?? "",
      failedAt: current.finishedAt,
    };
  }
  if (current.status === "cancelled") {
    return {
      status: "cancelled",
      cancelledAt: current.finishedAt,
      cancelReason: cancelReasonOf(current),
    };
  }
  return null;
};

/**
 * Blockers as a process function sees them. Null: one that has not come before the end of the wait. A failed or cancelled one
 * has come if the job goes on after those.
 */
export const toEndedSequences = (
  codec: PayloadCodec | null,
  { onBlockerFailure }: Pick<StateJob, "onBlockerFailure">,
  blockers: readonly StateSequence[],
): readonly (EndedJobSequence | null)[] =>
  blockers.map((blocker) => {
    const sequence = toJobSequence(codec, blocker);
    if (sequence.status === "completed") return sequence;
    const hasFailed = sequence.status === "failed" || sequence.status === "cancelled";
    return hasFailed && onBlockerFailure === "continue" ? sequence : null;
  });
