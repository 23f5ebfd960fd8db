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
import type { BlockerEdge } from "./state-adapter-queries.ts";

// createJobs

export type { NewContinuationJob, NewEntryJob, NewStateJob } from "../model/state-job.ts";

export interface CreateJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly NewStateJob[];
}

export interface CreatedStateJob {
  /** The stored job; when deduplicated, the first job of the newest sequence that matches. */
  readonly job: StateJob;
  readonly deduplicated: boolean;
}

// addBlockers

export interface AddBlockersParams<TTxContext> {
  readonly context: TTxContext;
  readonly jobs: readonly {
    readonly jobId: string;
    readonly blockerSequenceIds: readonly string[];
  }[];
}

// acquireJobs

export interface AcquireJobsParams {
  readonly workerId: string;
  /** In all. */
  readonly limit: number;
  readonly types: readonly {
    readonly typeName: string;
    readonly leaseMs: number;
    readonly limit: number;
  }[];
}

export interface AcquiredJob {
  readonly job: StateJob;
  readonly blockers: readonly StateSequence[];
  /** The worker whose expired lease was taken over; null for a job that was pending. */
  readonly reclaimedFrom: string | null;
}

export interface AcquireJobsResult {
  readonly jobs: readonly AcquiredJob[];
  readonly nextDueInMs: number | null;
  /** Left out: the time of the store is known by the acquired jobs alone. */
  readonly storeTime?: Date | undefined;
}

// renewLeases

/** A job, and the version of the lease under which it is held. */
export interface LeaseReference {
  readonly jobId: string;
  readonly leaseVersion: number;
}

export interface RenewLeasesParams {
  readonly leases: readonly (LeaseReference & { readonly leaseMs: number })[];
}

/** Why a lease is no longer held: a newer lease exists, or the job is finished, cancelled or deleted. */
export type LeaseLostReason =
  "taken_by_another_worker" | "already_completed" | "cancelled" | "not_found";

export type LeaseCheck =
  { readonly kind: "held" } | { readonly kind: "lost"; readonly reason: LeaseLostReason };

// completeJobs

export type CompletionOutcome =
  | { readonly kind: "output"; readonly output: JsonText }
  | { readonly kind: "continuation"; readonly job: NewContinuationJob }
  | { readonly kind: "continuedTo"; readonly jobId: string };

export interface JobCompletion {
  readonly jobId: string;
  /** Null: completion without a worker, of any unfinished job. */
  readonly leaseVersion: number | null;
  readonly outcome: CompletionOutcome;
}

export interface CompleteJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  /** Stored as `completedBy`. Null without a worker: then, and only then, no element names a lease. */
  readonly workerId: string | null;
  readonly completions: readonly JobCompletion[];
  /** May commit the transaction of `context`, too. Of one element, where the store has the capability `completesAndCommits`. */
  readonly andCommit?: boolean | undefined;
}

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

export interface CompleteJobsResult {
  readonly results: readonly CompletionResult[];
  readonly unblocked: readonly UnblockedJob[];
}

// rescheduleJobs

export interface RescheduleJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly (LeaseReference & {
    readonly schedule: ScheduleOptions | null;
    readonly countsAttempt: boolean;
    readonly error: string | null;
  })[];
}

export type RescheduleResult =
  | { readonly kind: "rescheduled"; readonly scheduledAt: Date }
  | { readonly kind: "lost"; readonly reason: LeaseLostReason };

// failJobs

export interface FailJobsParams<TTxContext> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly (LeaseReference & { readonly error: string })[];
}

export interface FailJobsResult {
  readonly results: readonly (
    | { readonly kind: "failed"; readonly failedAt: Date }
    | { readonly kind: "lost"; readonly reason: LeaseLostReason }
  )[];
  /** Blocked jobs that failed with them, with the error stored for each. */
  readonly dependants: readonly (StateJobReference & { readonly error: string })[];
}

// cancelSequences

/** How to treat the jobs outside the cancelled sequences that wait for one of them. */
export type CancelDependants = "refuse" | "fail" | "cancel";

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
  /** JSON text of a string; null for none. */
  readonly reason: JsonText | null;
}

/** A job that was cancelled. */
export interface CancelledStateJob extends StateJobReference {
  /** Its holder has to be notified. */
  readonly wasRunning: boolean;
}

/** For one element. `already_ended`: its sequence has completed, failed, or was cancelled before. */
export type CancelSequenceResult =
  | { readonly kind: "cancelled" }
  | { readonly kind: "refused"; readonly reason: "not_found" | "already_ended" }
  | { readonly kind: "lost"; readonly reason: LeaseLostReason };

export type CancelSequencesResult =
  | {
      readonly kind: "cancelled";
      readonly results: readonly CancelSequenceResult[];
      readonly jobs: readonly CancelledStateJob[];
      /** With `dependants: "fail"`: the jobs that failed, with the error stored for each. */
      readonly dependants: FailJobsResult["dependants"];
    }
  /** With `dependants: "refuse"`: nothing was written. */
  | { readonly kind: "blocking"; readonly edges: readonly BlockerEdge[] };

// reclaimExpiredLeases

export interface ReclaimExpiredLeasesParams {
  readonly limit: number;
}

export interface ReclaimedJob extends StateJobReference {
  readonly leasedBy: string;
  readonly leaseVersion: number;
}

// retryFailedJobs, triggerJobs

export interface GetByIdsParams<TContext, TJobId> {
  readonly context?: TContext | undefined;
  readonly ids: readonly TJobId[];
}

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

// pause, resume, getPauses

/** A job type; null: every type. */
export interface PauseTarget {
  readonly typeName: string | null;
}

export interface PauseParams {
  readonly targets: readonly PauseTarget[];
  /** Null: until it is resumed. */
  readonly forMs: number | null;
  readonly note: string | null;
}

export interface StatePause extends PauseTarget {
  readonly pausedAt: Date;
  /** Null: until it is resumed. */
  readonly until: Date | null;
  readonly note: string | null;
}

// deleteSequences, deleteFinishedSequences

export interface DeleteSequencesParams<TTxContext, TJobId> {
  readonly context: TTxContext;
  readonly rootSequenceIds: readonly TJobId[];
}

export type DeleteSequencesResult =
  /** `running`: deleted jobs whose holders have to be notified. Ids that do not exist are not an error. */
  | {
      readonly kind: "deleted";
      readonly jobCount: number;
      readonly running: readonly StateJobReference[];
    }
  /** Checked before the dependants. */
  | { readonly kind: "notRoots"; readonly sequenceIds: readonly string[] }
  | { readonly kind: "blocking"; readonly edges: readonly BlockerEdge[] };

export interface DeleteFinishedParams {
  readonly completedForMs: number | null;
  readonly failedForMs: number | null;
  readonly cancelledForMs: number | null;
  /** Root trees. */
  readonly limit: number;
}
