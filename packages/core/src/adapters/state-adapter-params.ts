// The parameters and results of the methods of StateAdapter. One block per method, in the order of the contract.
import type {
  JsonText,
  NewContinuationJob,
  NewStateJob,
  StateJob,
  StateJobReference,
  StateSequence,
} from "../model/state-job.ts";
import type { ScheduleOptions } from "../model/schedule.ts";
import type { BatchCondition } from "./state-adapter-limits.ts";
import type { BlockerEdge } from "./state-adapter-queries.ts";

// createJobs
export type { NewContinuationJob, NewEntryJob, NewStateJob } from "../model/state-job.ts";

/** The argument of `createJobs`. */
export interface CreateJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly NewStateJob[];
}

/** The result of `createJobs` for one job. */
export interface CreatedStateJob {
  /** The stored job; when deduplicated, the first job of the newest sequence that matches. */
  readonly job: StateJob;
  readonly deduplicated: boolean;
}

// addBlockers

/** The argument of `addBlockers`. */
export interface AddBlockersParams<TTxContext> {
  readonly context: TTxContext;
  readonly jobs: readonly {
    readonly jobId: string;
    readonly blockerSequenceIds: readonly string[];
    /** The longest wait, counted from the creation of the job. Left out: without end. */
    readonly waitAtMostMs?: number | undefined;
  }[];
}

// acquireJobs

/** The argument of `acquireJobs`. */
export interface AcquireJobsParams {
  readonly workerId: string;
  /** In all. */
  readonly limit: number;
  /** How many jobs could begin now, of types that stand under a limit. Left out: `limit`. */
  readonly slots?: number | undefined;
  readonly types: readonly {
    readonly typeName: string;
    readonly leaseMs: number;
    readonly limit: number;
    readonly batch?: BatchCondition | undefined;
  }[];
}

/** One job that was acquired, with the sequences that it waited for. */
export interface AcquiredJob {
  readonly job: StateJob;
  readonly blockers: readonly StateSequence[];
  /** The worker whose expired lease was taken over; null for a job that was pending. */
  readonly reclaimedFrom: string | null;
  /** Why core cannot read a payload of the job or of its blockers. Stores leave it out: a worker adds it, and the attempt fails. */
  readonly unreadable?: Error | undefined;
}

/** The result of `acquireJobs`. */
export interface AcquireJobsResult {
  readonly jobs: readonly AcquiredJob[];
  readonly nextDueInMs: number | null;
  /** A limit has kept due jobs back: the end of an attempt is a reason to acquire again. Left out: none has. */
  readonly isLimited?: boolean | undefined;
  /** Left out: the time of the store is known by the acquired jobs alone. */
  readonly storeTime?: Date | undefined;
}

// renewLeases

/** A job, and the version of the lease under which it is held. */
export interface LeaseReference {
  readonly jobId: string;
  readonly leaseVersion: number;
}

/** The argument of `renewLeases`. */
export interface RenewLeasesParams {
  readonly leases: readonly (LeaseReference & { readonly leaseMs: number })[];
}

/**
 * Why a lease is no longer held: a newer lease exists, or the job is finished, cancelled or deleted. `lease_expired`: the
 * job stands under a limit, and its permit has ended with the lease.
 */
export type LeaseLostReason =
  "taken_by_another_worker" | "already_completed" | "cancelled" | "not_found" | "lease_expired";

/** Whether a lease is still held. */
export type LeaseCheck =
  { readonly kind: "held" } | { readonly kind: "lost"; readonly reason: LeaseLostReason };

// completeJobs

/** The outcome of an attempt: an output, or the next job of the sequence. */
export type CompletionOutcome =
  | { readonly kind: "output"; readonly output: JsonText }
  | { readonly kind: "continuation"; readonly job: NewContinuationJob }
  | { readonly kind: "continuedTo"; readonly jobId: string };

/** One job to complete, under its lease. */
export interface JobCompletion {
  readonly jobId: string;
  /** Of the job, for the transforms of payloads. Stores do not read it. */
  readonly typeName?: string | undefined;
  /** Null: completion without a worker, of any unfinished job. */
  readonly leaseVersion: number | null;
  readonly outcome: CompletionOutcome;
}

/** The argument of `completeJobs`. */
export interface CompleteJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  /** Stored as `completedBy`. Null without a worker: then, and only then, no element names a lease. */
  readonly workerId: string | null;
  readonly completions: readonly JobCompletion[];
  /** May commit the transaction of `context`, too. Of one element, where the store has the capability `completesAndCommits`. */
  readonly andCommit?: boolean | undefined;
}

/** The result of `completeJobs` for one job. */
export type CompletionResult =
  | {
      readonly kind: "completed";
      readonly completedAt: Date;
      /** The next job of the sequence as stored; null when the sequence ended, or it had been stored before. */
      readonly continuation: StateJob | null;
    }
  | {
      readonly kind: "lost";
      readonly reason: LeaseLostReason;
      readonly storedByThisLease: boolean;
    };

/** A job that is no longer blocked, and the sequence whose end released it. */
export interface UnblockedJob extends StateJobReference {
  readonly unblockedBySequenceId: string;
}

/** The result of `completeJobs`, with the jobs that it has unblocked. */
export interface CompleteJobsResult {
  readonly results: readonly CompletionResult[];
  readonly unblocked: readonly UnblockedJob[];
}

// rescheduleJobs

/** The argument of `rescheduleJobs`. */
export interface RescheduleJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly (LeaseReference & {
    readonly schedule: ScheduleOptions | null;
    readonly countsAttempt: boolean;
    readonly error: string | null;
  })[];
}

/** The result of `rescheduleJobs` for one job. */
export type RescheduleResult =
  | { readonly kind: "rescheduled"; readonly scheduledAt: Date }
  | { readonly kind: "lost"; readonly reason: LeaseLostReason };

// failJobs

/** The argument of `failJobs`. */
export interface FailJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly (LeaseReference & { readonly error: string })[];
}

/** The result of `failJobs`, with the jobs that wait for the failed ones. */
export interface FailJobsResult {
  readonly results: readonly (
    | { readonly kind: "failed"; readonly failedAt: Date }
    | { readonly kind: "lost"; readonly reason: LeaseLostReason }
  )[];
  /** Blocked jobs that failed with them, with the error stored for each. */
  readonly dependants: readonly (StateJobReference & { readonly error: string })[];
  /** Jobs with `onBlockerFailure: "continue"` that waited for these sequences only. */
  readonly unblocked: readonly UnblockedJob[];
}

// cancelSequences
/** How to treat the jobs outside the cancelled sequences that wait for one of them. */
export type CancelDependants = "refuse" | "fail" | "cancel";

/** The argument of `cancelSequences`. */
export interface CancelSequencesParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly sequences: readonly {
    readonly id: string;
    /** Not null: only while its current job is held under this lease. A handler cancels its own job so. */
    readonly lease: LeaseReference | null;
  }[];
  /** Also the sequences that were started for them, and for those in turn. */
  readonly tree: boolean;
  readonly dependants: CancelDependants;
  /** Also sequences among them that have failed. Left out: they are refused. */
  readonly failed?: boolean | undefined;
  /** JSON text of a string; null for none. */
  readonly reason: JsonText | null;
}

/** A job that was cancelled. */
export interface CancelledStateJob extends StateJobReference {
  /** Its holder has to be notified. */
  readonly wasRunning: boolean;
}

/** For one element. `already_ended`: its sequence has completed, was cancelled before, or has failed without `failed`. */
export type CancelSequenceResult =
  | { readonly kind: "cancelled" }
  | { readonly kind: "refused"; readonly reason: "not_found" | "already_ended" }
  | { readonly kind: "lost"; readonly reason: LeaseLostReason };

/** The result of `cancelSequences`: all were cancelled, or none. */
export type CancelSequencesResult =
  | {
      readonly kind: "cancelled";
      readonly results: readonly CancelSequenceResult[];
      readonly jobs: readonly CancelledStateJob[];
      /** With `dependants: "fail"`: the jobs that failed, with the error stored for each. */
      readonly dependants: FailJobsResult["dependants"];
      /** Jobs with `onBlockerFailure: "continue"` that waited for these sequences only. */
      readonly unblocked: readonly UnblockedJob[];
    }
  /** With `dependants: "refuse"`: nothing was written. */
  | { readonly kind: "blocking"; readonly edges: readonly BlockerEdge[] };

// reclaimExpiredLeases

/** The argument of `reclaimExpiredLeases`. */
export interface ReclaimExpiredLeasesParams {
  readonly limit: number;
}

/** A job whose expired lease was taken from a worker. */
export interface ReclaimedJob extends StateJobReference {
  readonly leasedBy: string;
  readonly leaseVersion: number;
}

// retryFailedJobs, triggerJobs

/** The argument of methods that read by id. */
export interface GetByIdsParams<TContext, TJobId> {
  readonly context?: TContext | undefined;
  readonly ids: readonly TJobId[];
}

/** The result of `retryFailedJobs`. */
export type RetryFailedResult =
  | { readonly kind: "retried"; readonly job: StateJob }
  | { readonly kind: "refused"; readonly reason: "not_found" | "not_failed" }
  | {
      readonly kind: "refused";
      readonly reason: "deduplication_key_taken" | "blocker_failed" | "blocker_cancelled";
      readonly bySequenceId: string;
    };

/** A job that is due already is `triggered` too, and keeps its place. */
export type TriggerResult =
  | { readonly kind: "triggered"; readonly job: StateJobReference }
  | { readonly kind: "refused"; readonly reason: "not_found" | "not_pending" };

export type * from "./state-adapter-deletions.ts";
export type * from "./state-adapter-pauses.ts";
