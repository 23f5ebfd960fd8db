// Lines that attempts log, and the progress of jobs, as a store keeps them for operators.

/** How long lines and progress are kept at most, in milliseconds. They are deleted with their job before that. */
export const logsKeptMs: number = 30 * 24 * 60 * 60_000;

/** So many attempts of a job keep their lines: the last ones that logged. */
export const loggedAttemptsKept = 3;

/** An attempt, by the lease under which it ran. */
export interface LoggedAttempt {
  readonly jobId: string;
  readonly leaseVersion: number;
}

/** Lines of an attempt that were logged one after the other. */
export interface LogChunk extends LoggedAttempt {
  /** The number that counts towards `maxAttempts`. */
  readonly attempt: number;
  /** The number of the first line within the attempt, from 0. */
  readonly firstLine: number;
  /** The lines, as core writes them. A store does not read it. */
  readonly lines: string;
}

/** Chunks to remove: those that begin at `from`, or later, and before `before`. */
export interface LogGap extends LoggedAttempt {
  readonly from: number;
  readonly before: number;
}

/** How far an attempt says that it is. */
export interface ProgressEntry extends LoggedAttempt {
  /** From 0 to 1. Null: not known. */
  readonly fraction: number | null;
  readonly note: string | null;
}

/** The argument of `appendLogs`. */
export interface AppendLogsParams {
  readonly chunks: readonly LogChunk[];
  readonly gaps: readonly LogGap[];
  /** Each job once. */
  readonly progress: readonly ProgressEntry[];
  /** Attempts whose lines and progress are removed. */
  readonly forget: readonly LoggedAttempt[];
  readonly keptMs: number;
}

/** The argument of `listLogs`. */
export interface ListLogsParams {
  readonly jobId: string;
  /** Only chunks after this one. Null: all of them. */
  readonly after: { readonly leaseVersion: number; readonly firstLine: number } | null;
}

/** A chunk as it is stored. */
export interface StoredLogChunk {
  readonly leaseVersion: number;
  readonly attempt: number;
  readonly firstLine: number;
  readonly lines: string;
}

/** The last progress of a job. */
export interface StoredProgress {
  readonly leaseVersion: number;
  readonly fraction: number | null;
  readonly note: string | null;
  /** The store's clock. */
  readonly at: Date;
}
