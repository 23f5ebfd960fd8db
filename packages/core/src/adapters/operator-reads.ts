// The parameters and results of an operator's reads beside searches: counts, health, ids, dependants and locks.
import type { PageOrder } from "../model/page.ts";
import type { JobLimitKey, StateJob } from "../model/state-job.ts";
import type { StoreCondition } from "./job-condition.ts";

/** A read that may be ended. */
export interface LimitedRead {
  /**
   * Without a context: the store ends a statement that takes longer, and the call rejects with `StatementTimeoutError`. A store
   * that cannot end a statement looks at a bounded number of jobs at once, and stops after them. Left out: no limit.
   */
  readonly timeoutMs?: number | undefined;
}

/** The argument of `countJobs`. */
export interface CountJobsParams extends LimitedRead {
  readonly conditions: readonly StoreCondition[];
  /** Counting stops here. */
  readonly max: number;
  /** The most jobs to look at. */
  readonly examineMax: number;
}

/** A number of jobs. */
export interface JobCount {
  readonly count: number;
  /** There may be more. */
  readonly isAtLeast: boolean;
}

/** The argument of `checkHealth`. */
export interface CheckHealthParams extends LimitedRead {
  /** A transaction that is open for longer is a finding. */
  readonly longTransactionMs: number;
  /** Also makes checks that read the whole store. */
  readonly isThorough: boolean;
}

/** Something that a store knows about its server or its file. */
export interface StoreFinding {
  /** `note`: a check that could not be made. `warn`: look at it. `fail`: jobs stand still or are lost, or will be. */
  readonly level: "note" | "warn" | "fail";
  /** One sentence with the remedy. */
  readonly text: string;
}

/** The argument of `findIds`. */
export interface FindIdsParams extends LimitedRead {
  /** The beginning of an id, as it is written. */
  readonly prefix: string;
  /** The most ids to return. */
  readonly limit: number;
}

/** The argument of `listDependants`. */
export interface ListDependantsParams extends LimitedRead {
  readonly sequenceId: string;
  /** Only ids after this one. Null: all of them. */
  readonly afterId: string | null;
  /** The most ids to return. */
  readonly limit: number;
}

/** An open transaction that keeps a job from being acquired. */
export interface JobLock {
  /** The process of the session on the server. */
  readonly pid: number;
  /** The name that the session has given itself. */
  readonly application: string;
  /** For how long the transaction has been open. Null: the user of the connection may not know. */
  readonly forMs: number | null;
}

/** The argument of `listLimitKeys`. */
export interface ListLimitKeysParams {
  readonly limitName: string;
  /** Inclusive. Null: from the first key. */
  readonly fromKey: string | null;
  /** The most names to return. */
  readonly limit: number;
}

/** The argument of `listNext`. */
export interface ListNextParams extends LimitedRead {
  readonly typeName: string;
  /** The most ids to return. */
  readonly limit: number;
  /** The most pending jobs to look at. */
  readonly examineMax: number;
}

/** The next jobs of a type. */
export interface NextJobs {
  readonly ids: readonly string[];
  /** It looked at `examineMax` jobs, and more may be due. */
  readonly isCut: boolean;
}

/** The key of a limit that a job stands under. */
export interface JobKey extends JobLimitKey {
  /** Jobs that hold an unexpired lease under it. */
  readonly holders: readonly string[];
}

/** Due jobs of the same type that come before a job. */
export interface JobsAhead {
  readonly ahead: number;
  /** Those among them with a higher priority. */
  readonly higherPriority: number;
  /** Counting stopped at `max`. */
  readonly isAtLeast: boolean;
}

/** The argument of `examineJobs`. */
export interface ExamineJobsParams extends LimitedRead {
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

/** One step of a search: the jobs that match, and how far it looked. */
export interface ExaminedJobs {
  readonly jobs: readonly StateJob[];
  /** How many jobs were looked at. */
  readonly examined: number;
  /** The ordinal after which the next page begins. Null: all jobs were looked at. */
  readonly examinedTo: number | null;
}
