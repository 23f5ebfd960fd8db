/** From the least important to the most important. */
export type AttemptLogLevel = "debug" | "info" | "warn" | "error";

/** Writes one line: a message, and data that is stored as JSON. */
export type WriteLogLine = (message: string, data?: unknown) => void;

/**
 * Writes lines to the log of the attempt, for operators: `log("charging", { amount })` or `log.warn("slow")`. It is not awaited
 * and never throws. Lines are stored within about a second, outside any transaction.
 */
export interface WriteAttemptLog extends WriteLogLine {
  readonly debug: WriteLogLine;
  readonly info: WriteLogLine;
  readonly warn: WriteLogLine;
  readonly error: WriteLogLine;
}

/**
 * Stores how far the attempt is, for operators: a fraction from 0 to 1, and a note such as `page 3 of 20`. The last call wins.
 * It is not awaited and never throws.
 */
export type WriteProgress = (fraction: number, note?: string) => void;

/** Options of the logs of attempts. */
export interface AttemptLogsOptions {
  /** Lines below it are not kept. Default: `"info"`. */
  readonly level?: AttemptLogLevel | undefined;
  /**
   * Of which attempts lines and progress are kept. `"failed"`: of running attempts, and of those that did not succeed.
   * `"all"`: of every attempt. `"none"`: nothing is stored. Default: `"failed"`.
   */
  readonly keep?: "failed" | "all" | "none" | undefined;
}
