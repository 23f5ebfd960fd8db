// The part of a store that operators use: its clock, search, counts and the registry of workers. The walk of a job does not need
// it.
import type { ActionRecord, StoredAction } from "./operator-actions.ts";
import type {
  CheckHealthParams,
  CountJobsParams,
  ExaminedJobs,
  ExamineJobsParams,
  FindIdsParams,
  JobCount,
  JobKey,
  JobLock,
  JobsAhead,
  LimitedRead,
  ListDependantsParams,
  ListLimitKeysParams,
  ListNextParams,
  NextJobs,
  StoreFinding,
} from "./operator-reads.ts";
import type { BatchCondition } from "./state-adapter-limits.ts";
import type {
  AppendLogsParams,
  ListLogsParams,
  StoredLogChunk,
  StoredProgress,
} from "./operator-logs.ts";

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
   * How many jobs meet all conditions.
   * - Counting stops at `max`, and looks at no more than `examineMax` jobs. Then `isAtLeast` is true.
   */
  countJobs?(params: CountJobsParams): Promise<JobCount>;

  /**
   * The ids of jobs that begin with a prefix, in any order and at most `limit`. They are found by the range of the key.
   * - Null: the store cannot find ids of its type so.
   */
  findIds?(params: FindIdsParams): Promise<readonly string[] | null>;

  /**
   * The ids of the jobs that wait or waited for a sequence, in ascending order and at most `limit`.
   * - Each job once. Empty for a sequence that does not exist.
   */
  listDependants?(params: ListDependantsParams): Promise<readonly string[]>;

  /** The transaction that keeps each pending job from being acquired; undefined for a job that none keeps. */
  findLocks?(params: {
    readonly ids: readonly string[];
  }): Promise<readonly (JobLock | undefined)[]>;

  /** What only this kind of store can know of its server or its file. Empty if all is well. */
  checkHealth?(params: CheckHealthParams): Promise<readonly StoreFinding[]>;

  /**
   * How many due jobs of its type come before each job, in the order of acquisition.
   * - Of a job under a key, those of its type under the same key.
   * - Counting stops at `max`, and then `isAtLeast` is true.
   * - Undefined for a job that is not pending, or does not exist.
   */
  countAhead?(
    params: LimitedRead & {
      readonly ids: readonly string[];
      readonly max: number;
    },
  ): Promise<readonly (JobsAhead | undefined)[]>;

  /**
   * The ids of the due jobs of a type without a key, in the order of acquisition and at most `limit`.
   * - Looks at no more than `examineMax` pending jobs. A scheduled job of a higher priority is looked at before a due one.
   */
  listNext?(params: ListNextParams): Promise<NextJobs>;

  /**
   * The key that each job stands under; undefined for a job under none, and for one that does not exist.
   * - `holders`: jobs of any type that hold an unexpired lease under it, at most 10.
   */
  findKeys?(params: { readonly ids: readonly string[] }): Promise<readonly (JobKey | undefined)[]>;

  /**
   * The attempts of each job that did not complete it, oldest first. The store writes them with the call that ends the attempt.
   * - An attempt with an error was retried or failed. An attempt whose lease was reclaimed has the outcome `lease_expired`.
   * - An attempt that a cancellation ended has the outcome `cancelled`, and the error is that of `cancelledAttemptError`.
   * - A reschedule or a hand-back without an error, and a completion, leave no attempt behind.
   * - At most the first attempt and the last 19 are kept. An error has at most 4,000 characters.
   * - Attempts are deleted with their job. Empty for a job that does not exist.
   */
  listAttempts?(params: {
    readonly jobIds: readonly string[];
  }): Promise<readonly (readonly StoredAttempt[])[]>;

  /**
   * Stores lines that attempts have logged, and the progress of jobs. Both are deleted with their job.
   * - A chunk that is stored already is not stored twice. Nothing is stored for a job that does not exist.
   * - Removes the chunks of each gap. Of each job in the call, the last 3 attempts that logged keep their lines.
   * - The progress of a job is that of its newest attempt, and the last one of it.
   * - Removes the lines and the progress of attempts to forget, also those of the same call.
   * - Removes lines and progress that were stored more than `keptMs` ago.
   */
  appendLogs?(params: AppendLogsParams): Promise<void>;

  /** The lines that a job's attempts have logged: by attempt, the oldest first, and then by line. */
  listLogs?(params: ListLogsParams): Promise<readonly StoredLogChunk[]>;

  /** The last progress of each job. Undefined for a job without one, or that does not exist. */
  listProgress?(params: {
    readonly jobIds: readonly string[];
  }): Promise<readonly (StoredProgress | undefined)[]>;

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
   * Adds counts of attempts to those of the present minute and of the present hour, by the store's clock.
   * - Counts are added by type and by name. Calls at the same time lose nothing.
   * - An hour is the sum of its minutes.
   * - Removes minutes that began more than `minutesKeptMs` ago, and hours that began more than `hoursKeptMs` ago.
   */
  recordMetrics?(params: RecordMetricsParams): Promise<void>;

  /** The counts of the minutes or hours that began in a period, the oldest first, and then by type. */
  listMetrics?(params: ListMetricsParams): Promise<readonly StoredMetric[]>;

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
   * Names of keys of a limit, from `fromKey` on, in an order of the store's own.
   * - Each key that has bounds of its own, a pause, a pending job or a running one. Keys that had one may be among them.
   * - Pages that begin at the first name behind the last page cover each key once.
   */
  listLimitKeys?(params: ListLimitKeysParams): Promise<readonly string[]>;

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
  readonly outcome: "retried" | "failed" | "lease_expired" | "cancelled";
  /** When the job was due again. Null: never. */
  readonly nextAt: Date | null;
  readonly error: string;
}

/** How many attempts of a job are kept, besides the first one. */
export const lastAttemptsKept = 19;

/** More holders of a key are not named. */
export const keyHoldersMax = 10;

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
  /** The most time of an attempt, in milliseconds. Left out: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Its jobs are acquired together. Left out: each is processed alone. */
  readonly batch?: BatchCondition | undefined;
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
  /** The version of `queuert` that the worker runs. Null: a release that does not report its own. */
  readonly libraryVersion: string | null;
}

/** The argument of `beat`: the report of a worker. */
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

/** Whole numbers by name, such as `{ completed: 3, run12: 2 }`. Names are letters and digits. */
export type MetricCounts = Readonly<Record<string, number>>;

/** Counts of one type. */
export interface MetricEntry {
  readonly typeName: string;
  readonly counts: MetricCounts;
}

/** The argument of `recordMetrics`. */
export interface RecordMetricsParams {
  /** Each type once. */
  readonly entries: readonly MetricEntry[];
  readonly minutesKeptMs: number;
  readonly hoursKeptMs: number;
}

/** A minute and an hour, in milliseconds. */
export const metricStepsMs = [60_000, 3_600_000] as const;

/** The argument of `listMetrics`. */
export interface ListMetricsParams extends LimitedRead {
  readonly stepMs: (typeof metricStepsMs)[number];
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** Null: all types. */
  readonly typeNames: readonly string[] | null;
}

/** The counts of one type in a minute or an hour. */
export interface StoredMetric extends MetricEntry {
  /** When the minute or the hour began. */
  readonly at: Date;
}

/** A worker whose last report is older than this many times its `beatMs` is gone. */
export const lateFactor = 2.5;
