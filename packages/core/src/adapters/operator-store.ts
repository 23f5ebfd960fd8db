// The part of a store that operators use: search, counts, history and the registry of workers. Workers do not need it.
import type { StateJob } from "../model/state-job.ts";
import type { PageOrder } from "../model/page.ts";
import type { JobCondition } from "./job-condition.ts";

/**
 * Queries of operators. Each method is optional: without it, the operator layer shows less, or looks at fewer rows.
 * - A method runs outside any transaction, and commits by itself.
 * - Times are the store's clock.
 */
export interface OperatorStore {
  /** The store's clock. */
  readClock?(): Promise<Date>;

  /**
   * One page of the jobs that meet all conditions, by `ordinal`, strictly after `afterOrdinal` in the given order.
   * - Looks at no more than `examineMax` jobs, however few of them match.
   * - Pages that continue at `examinedTo` cover each job once, also while jobs are created.
   */
  examineJobs?(params: ExamineJobsParams): Promise<ExaminedJobs>;

  /**
   * How many due jobs of its type come before each job, in the order of acquisition. Counting stops at `max`.
   * - Undefined for a job that is not pending.
   */
  countAhead?(params: {
    readonly ids: readonly string[];
    readonly max: number;
  }): Promise<readonly (JobsAhead | undefined)[]>;

  /** Workers that reported within the last day. */
  listWorkers?(): Promise<readonly StoredWorker[]>;
}

export interface ExamineJobsParams {
  readonly conditions: readonly JobCondition[];
  readonly order: PageOrder;
  /** The most jobs to return. */
  readonly limit: number;
  readonly afterOrdinal: number | null;
  /** The largest ordinal that may be returned, such as that of the newest job at some time. Null: no bound. */
  readonly ordinalMax: number | null;
  /** The most jobs to look at. */
  readonly examineMax: number;
}

export interface ExaminedJobs {
  readonly jobs: readonly StateJob[];
  /** How many jobs were looked at. */
  readonly examined: number;
  /** The ordinal at which the next page begins. Null: all jobs were looked at. */
  readonly examinedTo: number | null;
}

/** A worker, as its process reports it from time to time. */
export interface StoredWorker {
  /** Chosen at random when the worker starts. */
  readonly instanceId: string;
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  /** When the process started, by its own clock: with the host and the pid it names one process. */
  readonly processStartedAt: Date;
  readonly startedAt: Date;
  /** The last report. */
  readonly beatAt: Date;
  /** The next report follows within this time. */
  readonly beatMs: number;
  readonly state: "running" | "stopping" | "stopped";
  /** The version of the application, if it gave one. */
  readonly version: string | null;
  readonly types: readonly WorkerType[];
  readonly concurrency: number;
  /** Slots in which a job runs. */
  readonly busy: number;
}

/** A job type that a worker implements. */
export interface WorkerType {
  readonly typeName: string;
  /** The type's own limit on the worker; null: that of the worker. */
  readonly concurrency: number | null;
}

/** Due jobs of the same type that come before a job. */
export interface JobsAhead {
  readonly ahead: number;
  /** Those among them with a higher priority. */
  readonly higherPriority: number;
  /** Counting stopped at `max`. */
  readonly isAtLeast: boolean;
}
