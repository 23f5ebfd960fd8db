import { fromJsonText, type PayloadCodec } from "./payload.ts";
import type { JobSequence } from "./sequence.ts";
import { type JobTick, parseTickKey } from "./tick.ts";
import type { StateJob, StateJobReference } from "./state-job.ts";

interface JobFields<
  TJobId extends string,
  TTypeName extends string,
  TInput,
  TBlockers,
  TSequenceTypeName extends string,
> {
  readonly id: TJobId;
  readonly typeName: TTypeName;
  /** The id of the sequence's first job. */
  readonly sequenceId: TJobId;
  /** The type of the sequence's first job. */
  readonly sequenceTypeName: TSequenceTypeName;
  /** The sequence at the root of the tree; its own sequence for a root. */
  readonly rootSequenceId: TJobId;
  /** The job that this one continues, whose `startBlockers` started it, or its `parent`; null for a root job. */
  readonly originId: TJobId | null;
  /** 0 for the first job of the sequence, one more for each continuation. */
  readonly position: number;
  readonly input: TInput;
  /** The sequences the job waits or waited for, in the order they were given. */
  readonly blockers: TBlockers;
  readonly priority: number;
  readonly createdAt: Date;
  readonly scheduledAt: Date;
  /** Runs begun that count; reschedules and hand-backs do not. */
  readonly attempt: number;
  readonly lastAttemptAt: Date | null;
  readonly lastAttemptError: string | null;
  readonly deduplicationKey: string | null;
  /** The tick of a schedule that started the sequence. On its first job; null on all other jobs. */
  readonly tick: JobTick | null;
}

interface BlockedState {
  readonly status: "blocked";
  /** The job then runs without the blockers that have not completed (`waitAtMostMs`). Null: it waits until they have. */
  readonly blockedUntil: Date | null;
}

interface PendingState {
  readonly status: "pending";
}

export interface RunningState {
  readonly status: "running";
  readonly leasedBy: string;
  readonly leasedUntil: Date;
  /**
   * The fencing token of this lease: it only grows. Hand it to side effects that must not be
   * repeated.
   */
  readonly leaseVersion: number;
}

interface CompletedState {
  readonly status: "completed";
  readonly completedAt: Date;
  /** The worker that completed it; null for a completion without a worker. */
  readonly completedBy: string | null;
  readonly leaseVersion: number;
}

export interface EndedState<TOutput> extends CompletedState {
  readonly output: TOutput;
  readonly continuedToId: null;
}

export interface ContinuedState<TJobId extends string> extends CompletedState {
  readonly output: undefined;
  /** The next job of the sequence. */
  readonly continuedToId: TJobId;
}

interface FailedState {
  readonly status: "failed";
  readonly failedAt: Date;
  readonly lastAttemptError: string;
}

interface CancelledState {
  readonly status: "cancelled";
  readonly cancelledAt: Date;
  /** As given to `cancelJobSequences`; null if none was given. */
  readonly cancelReason: string | null;
}

/**
 * A unit of work, by `status`; a completed one by `continuedToId`: ended with an output, or
 * continued.
 */
export type Job<
  TJobId extends string = string,
  TTypeName extends string = string,
  TInput = unknown,
  TBlockers = readonly unknown[],
  TSequenceTypeName extends string = string,
  TOutput = unknown,
> = JobFields<TJobId, TTypeName, TInput, TBlockers, TSequenceTypeName> &
  (
    | BlockedState
    | PendingState
    | RunningState
    | EndedState<TOutput>
    | ContinuedState<TJobId>
    | FailedState
    | CancelledState
  );

/** A job in some of the states of `Job`, written out: `Extract` would make a job of each state first. */
export type JobInState<
  TState,
  TJobId extends string,
  TTypeName extends string,
  TInput,
  TBlockers,
  TSequenceTypeName extends string,
> = JobFields<TJobId, TTypeName, TInput, TBlockers, TSequenceTypeName> & TState;

export type CreatedState = BlockedState | PendingState;

export type UnfinishedState = CreatedState | RunningState;

/** A blocked job: it waits for a blocker. */
export type BlockedJob<TJob = Job> = Extract<TJob, { readonly status: "blocked" }>;

/** A pending job: it runs as soon as it is due and a worker is free. */
export type PendingJob<TJob = Job> = Extract<TJob, { readonly status: "pending" }>;

/** A running job: a worker holds a lease on it. */
export type RunningJob<TJob = Job> = Extract<TJob, { readonly status: "running" }>;

/** A completed job: it ended its sequence with an output, or continued it. */
export type CompletedJob<TJob = Job> = Extract<TJob, { readonly status: "completed" }>;

/** A failed job: it stays as it is until it is retried or deleted. */
export type FailedJob<TJob = Job> = Extract<TJob, { readonly status: "failed" }>;

/** A cancelled job: it never runs again. */
export type CancelledJob<TJob = Job> = Extract<TJob, { readonly status: "cancelled" }>;

/** A job as it is right after its creation. */
export type CreatedJob<TJob = Job> = Extract<TJob, { readonly status: "blocked" | "pending" }>;

/** A job whose blockers are not stored yet, as `startBlockers` receives it. */
export type JobWithoutBlockers<TJob = Job> = TJob extends unknown ? Omit<TJob, "blockers"> : never;

const noBlockers: readonly (JobSequence | null)[] = [];

/**
 * A stored job as users see it. The fields are written out and added one by one, because this runs for every attempt.
 * Spreading objects together took a tenth of the time of a short job.
 */
export const toJob = (
  codec: PayloadCodec | null,
  job: StateJob,
  blockers: readonly (JobSequence | null)[] = noBlockers,
): Job => {
  const fields: Record<string, unknown> = {
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    position: job.position,
    input: fromJsonText(job.input, job.id, codec),
    blockers,
    priority: job.priority,
    createdAt: job.createdAt,
    scheduledAt: job.scheduledAt,
    attempt: job.attempt,
    lastAttemptAt: job.lastAttemptAt,
    lastAttemptError: job.lastAttemptError,
    deduplicationKey: job.deduplicationKey,
    tick: parseTickKey(job.deduplicationKey),
    status: job.status,
  };
  addStatusFields(fields, codec, job);
  // Each status has exactly the fields that its member of the union declares.
  return fields as unknown as Job;
};

const addStatusFields = (
  fields: Record<string, unknown>,
  codec: PayloadCodec | null,
  job: StateJob,
): void => {
  switch (job.status) {
    case "blocked":
      fields["blockedUntil"] = job.blockedUntil;
      return;
    case "pending":
      return;
    case "running":
      fields["leasedBy"] = job.leasedBy;
      fields["leasedUntil"] = job.leasedUntil;
      fields["leaseVersion"] = job.leaseVersion;
      return;
    case "completed":
      fields["completedAt"] = job.finishedAt;
      fields["completedBy"] = job.completedBy;
      fields["leaseVersion"] = job.leaseVersion;
      fields["output"] = job.output === null ? undefined : fromJsonText(job.output, job.id, codec);
      fields["continuedToId"] = job.continuedToId;
      return;
    case "failed":
      fields["failedAt"] = job.finishedAt;
      fields["lastAttemptError"] = job.lastAttemptError ?? "";
      return;
    case "cancelled":
      fields["cancelledAt"] = job.finishedAt;
      fields["cancelReason"] = cancelReasonOf(job);
  }
};

/** The reason of a cancelled job. It is stored in the place of the output. */
export const cancelReasonOf = ({ output, id }: StateJob): string | null => {
  if (output === null) return null;
  const reason = fromJsonText(output, id, null);
  return typeof reason === "string" ? reason : null;
};

/** The fields that name a job. */
export const toReference = (job: StateJobReference): StateJobReference => ({
  id: job.id,
  typeName: job.typeName,
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  rootSequenceId: job.rootSequenceId,
  originId: job.originId,
});
