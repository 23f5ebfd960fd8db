// The part of a store that operators use: its clock, search, counts and the registry of workers. The walk of a job does not need
// it.
import type { StateJob } from "../model/state-job.ts";
import type { PageOrder } from "../model/page.ts";
import type { StoreCondition } from "./job-condition.ts";

/**
 * Queries of operators, and the registry of workers. Each method is optional: without it, the operator layer shows less, or
 * looks at fewer rows.
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
   * How many due jobs of its type come before each job, in the order of acquisition.
   * - Counting stops at `max`, and then `isAtLeast` is true.
   * - Undefined for a job that is not pending, or does not exist.
   */
  countAhead?(params: {
    readonly ids: readonly string[];
    readonly max: number;
  }): Promise<readonly (JobsAhead | undefined)[]>;

  /**
   * The attempts of each job that did not complete it, oldest first. The store writes them with the call that ends the attempt.
   * - An attempt with an error was retried or failed. An attempt whose lease was reclaimed has the outcome `lease_expired`.
   * - A reschedule or a hand-back without an error, and a completion, leave no attempt behind.
   * - At most the first attempt and the last 19 are kept. An error has at most 4,000 characters.
   * - Attempts are deleted with their job. Empty for a job that does not exist.
   */
  listAttempts?(params: {
    readonly jobIds: readonly string[];
  }): Promise<readonly (readonly StoredAttempt[])[]>;

  /**
   * Stores the reports of a process's workers, and removes old ones.
   * - A known worker keeps its `startedAt`. `beatAt` is the store's clock.
   * - Removes workers whose last report is older than `forgetAfterMs`.
   * - Returns the number of processes with a worker that is not stopped and reported within 2.5 times its `beatMs`.
   */
  beat?(params: BeatParams): Promise<{ readonly processCount: number }>;

  /** All workers that are stored, the newest report first. */
  listWorkers?(): Promise<readonly StoredWorker[]>;

  /**
   * Stores the beginning of an action.
   * - Returns false, and stores nothing, if an action of this id is stored already.
   * - Removes actions that began more than 90 days ago.
   */
  beginAction?(action: ActionRecord): Promise<boolean>;

  /** Stores the end of an action that has begun. Changes nothing for another id. */
  finishAction?(params: {
    readonly id: string;
    readonly done: number;
    readonly refused: number;
  }): Promise<void>;

  /** The actions, the newest first. */
  listActions?(params: { readonly limit: number }): Promise<readonly StoredAction[]>;

  /**
   * Ends the leases that a worker of this name acquired before an instant: its process is known to be gone. Their jobs are due
   * for the next acquisition.
   * - Returns the number of leases.
   * - A lease that has expired is left as it is. So is a lease that was acquired at the instant or later.
   */
  expireLeases?(params: {
    readonly workerId: string;
    readonly acquiredBefore: Date;
  }): Promise<number>;
}

/** An action of an operator on several jobs. */
export interface ActionRecord {
  /** That of the plan. */
  readonly id: string;
  readonly action: string;
  /** The person or program that applied the plan; null: not named. */
  readonly user: string | null;
  /** The filter of the plan; null for a plan of ids. */
  readonly filter: string | null;
  /** That of the plan. */
  readonly count: number;
}

/** An action as it is stored. */
export interface StoredAction extends ActionRecord {
  readonly startedAt: Date;
  /** Null: it is under way, or its process has ended. */
  readonly finishedAt: Date | null;
  readonly done: number;
  readonly refused: number;
}

export interface ExamineJobsParams {
  readonly conditions: readonly StoreCondition[];
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
  /** The ordinal after which the next page begins. Null: all jobs were looked at. */
  readonly examinedTo: number | null;
}

/** An attempt that did not complete its job. */
export interface StoredAttempt {
  readonly leaseVersion: number;
  /** The number that counts towards `maxAttempts`. */
  readonly attempt: number;
  readonly workerId: string;
  /** Since when the job was due. */
  readonly dueAt: Date;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: "retried" | "failed" | "lease_expired";
  /** When the job was due again. Null: never. */
  readonly nextAt: Date | null;
  readonly error: string;
}

/** How many attempts of a job are kept, besides the first one. */
export const lastAttemptsKept = 19;

/** Due jobs of the same type that come before a job. */
export interface JobsAhead {
  readonly ahead: number;
  /** Those among them with a higher priority. */
  readonly higherPriority: number;
  /** Counting stopped at `max`. */
  readonly isAtLeast: boolean;
}

/** The identity of a process, by which another process of the same machine can tell that it is gone. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** The machine and the space in which the pid has a meaning; null: not known. */
  readonly machine: string | null;
  /** The start of the process, in the words of its system. A reused pid has another one. Null: not known. */
  readonly processStart: string | null;
}

/** A job type that a worker implements. */
export interface WorkerType {
  readonly typeName: string;
  /** The type's own limit on the worker; null: that of the worker. */
  readonly concurrency: number | null;
}

/** The report of one worker. */
export interface WorkerBeat {
  /** Chosen at random when the worker starts. */
  readonly instanceId: string;
  readonly workerId: string;
  readonly state: "running" | "stopping" | "stopped";
  readonly types: readonly WorkerType[];
  readonly concurrency: number;
  /** Slots in which a job runs. */
  readonly busy: number;
  /** The next report follows within this time. */
  readonly beatMs: number;
}

export interface BeatParams {
  readonly process: ProcessIdentity;
  readonly workers: readonly WorkerBeat[];
  readonly forgetAfterMs: number;
}

/** A worker as it is stored. */
export interface StoredWorker extends WorkerBeat, ProcessIdentity {
  /** The first report. */
  readonly startedAt: Date;
  /** The last report. */
  readonly beatAt: Date;
}

/** How long actions are kept, in milliseconds. */
export const actionsKeptMs: number = 90 * 24 * 60 * 60_000;

/** A worker whose last report is older than this many times its `beatMs` is gone. */
export const lateFactor = 2.5;
