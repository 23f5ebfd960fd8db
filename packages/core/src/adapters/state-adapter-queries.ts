// The parameters and results of the queries of StateAdapter. One block per method.
import type { PageOrder } from "../model/page.ts";
import type { JobStatus } from "../model/status.ts";
import type { LimitedRead } from "./operator-reads.ts";

/** `jobId`, of sequence `sequenceId`, waits or waited for `blockerSequenceId`. */
export interface BlockerEdge {
  readonly jobId: string;
  readonly sequenceId: string;
  readonly blockerSequenceId: string;
  readonly index: number;
}

interface PageParams extends LimitedRead {
  readonly order: PageOrder;
  readonly limit: number;
  readonly afterOrdinal: number | null;
}

/** Every field narrows; null does not. Times are `createdAt`: from inclusive, to exclusive. */
export interface ListJobsParams<TContext> extends PageParams {
  readonly context?: TContext | undefined;
  readonly typeNames: readonly string[] | null;
  /** The types of the first jobs of their sequences. Left out: as null. */
  readonly sequenceTypeNames?: readonly string[] | null | undefined;
  readonly statuses: readonly JobStatus[] | null;
  readonly sequenceId: string | null;
  readonly rootSequenceId: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** `typeNames`: of the first job. */
export interface ListSequencesParams<TContext> extends PageParams {
  readonly context?: TContext | undefined;
  readonly typeNames: readonly string[] | null;
  readonly statuses: readonly JobStatus[] | null;
  readonly rootSequenceId: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** The argument of `summarize`. */
export interface SummarizeParams<TContext> extends LimitedRead {
  readonly context?: TContext | undefined;
  /** An attempt that has run for longer counts as long. */
  readonly runningLongMs: number;
}

/** Counts by type and status, and the ages of the oldest jobs. */
export interface StateSummary {
  /** Per type and status; completed and cancelled jobs are left out, zero counts too. */
  readonly counts: readonly {
    readonly typeName: string;
    readonly status: Exclude<JobStatus, "completed" | "cancelled">;
    readonly count: number;
  }[];
  /**
   * Per type with due pending jobs: for how long the oldest has been due. The time that a job was blocked does not count: its
   * waiting begins when its last blocker completes. `dueCount` of them are due.
   */
  readonly oldestReady: readonly {
    readonly typeName: string;
    readonly ageMs: number;
    readonly dueCount: number;
  }[];
  /** Blocked jobs at least one of whose blockers has failed. */
  readonly blockedByFailedCount: number;
  readonly expiredLeaseCount: number;
  readonly runningLongCount: number;
}
