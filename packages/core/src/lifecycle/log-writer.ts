// Stores the lines and the progress of attempts: at most one call in a second and client, and none for attempts that log nothing.
// No attempt waits for it. With `keep: "failed"`, a short attempt that succeeds stores nothing at all.
import type {
  AppendLogsParams,
  LogChunk,
  LogGap,
  LoggedAttempt,
  ProgressEntry,
} from "../adapters/operator-logs.ts";
import { logsKeptMs } from "../adapters/operator-logs.ts";
import type { AttemptResult } from "../adapters/observability-adapter.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { Clock } from "../async/clock.ts";
import type { Observer } from "../observe/observer.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertObject } from "../model/assert-option.ts";
import type {
  AttemptLogLevel,
  AttemptLogsOptions,
  WriteAttemptLog,
  WriteLogLine,
  WriteProgress,
} from "../public-types/attempt-log.ts";
import type { Attempt } from "./process-job/attempt.ts";
import { AttemptLog, toLogLine, toProgress } from "./process-job/attempt-log.ts";

/** Between two calls. */
const intervalMs = 1_000;
/** The longest interval, after calls that failed. */
const intervalMsMax = 30_000;
/** Characters that wait in the memory of a client. Beyond them, the oldest attempts lose lines. */
const waitingCharactersMax = 4_000_000;

const levels: readonly AttemptLogLevel[] = ["debug", "info", "warn", "error"];

/** Their lines are not kept, unless all are. */
const successes: ReadonlySet<AttemptResult> = new Set(["completed", "continued", "rescheduled"]);

type Append = (params: AppendLogsParams) => Promise<void>;

export class LogWriter {
  readonly #append: Append;
  /** Reports an error, and returns whether the call is worth another try. */
  readonly #onError: (error: unknown) => boolean;
  readonly #clock: Clock;
  readonly #keepsAll: boolean;
  readonly #levelMin: number;
  /** Attempts with something that waits, in the order in which it began to wait. */
  readonly #waiting = new Set<AttemptLog>();
  #waitingCharacters = 0;
  #forget: LoggedAttempt[] = [];
  /** A call that has failed, to be made again. */
  #failed: AppendLogsParams | null = null;
  #delayMs = intervalMs;
  #timer: unknown = null;
  #calling: Promise<void> | null = null;
  #isClosed = false;

  constructor(
    append: Append,
    onError: (error: unknown) => boolean,
    clock: Clock,
    { level = "info", keep = "failed" }: AttemptLogsOptions,
  ) {
    this.#append = append;
    this.#onError = onError;
    this.#clock = clock;
    this.#keepsAll = keep === "all";
    this.#levelMin = levels.indexOf(level);
  }

  /** The `log` of an attempt. */
  createLog(attempt: Attempt): WriteAttemptLog {
    const at = (level: AttemptLogLevel): WriteLogLine =>
      levels.indexOf(level) < this.#levelMin
        ? () => undefined
        : (message, data) => {
            const log = this.#logOf(attempt);
            if (log.isOver) return;
            const before = log.waitingCharacters;
            log.add(toLogLine(this.#clock.now(), level, message, data));
            this.#wait(log, log.waitingCharacters - before);
          };
    const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];
    const log: WriteLogLine = (message, data) => info(message, data);
    return Object.assign(log, { debug, info, warn, error });
  }

  /** The `progress` of an attempt. */
  createProgress(attempt: Attempt): WriteProgress {
    return (fraction, note) => {
      const log = this.#logOf(attempt);
      if (log.isOver) return;
      const given = toProgress(fraction, note);
      log.setProgress(given.fraction, given.note);
      this.#wait(log, 0);
    };
  }

  /** The outcome of an attempt that has logged is stored, or given up. */
  end(attempt: Attempt): void {
    const { log, result, lossReason } = attempt;
    if (log === null) return;
    log.isOver = true;
    const isGone = lossReason === "not_found";
    const isSuccess = result !== null && successes.has(result) && !this.#keepsAll;
    if (!isGone && !isSuccess) return;
    this.#waitingCharacters -= log.waitingCharacters;
    this.#waiting.delete(log);
    if (!log.wasTaken) return;
    this.#forget.push({ jobId: log.jobId, leaseVersion: log.leaseVersion });
    this.#schedule();
  }

  /** Stores all that waits. Never rejects. */
  async flush(): Promise<void> {
    this.#stopTimer();
    // Lines that were logged during a call need one more.
    for (let call = 0; call < 2; call++) {
      await this.#calling;
      if (this.#isIdle()) return;
      this.#calling ??= this.#call();
      await this.#calling;
    }
  }

  /** The client is closed: lines that still wait are lost. */
  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  #logOf(attempt: Attempt): AttemptLog {
    return (attempt.log ??= new AttemptLog(attempt.job));
  }

  #wait(log: AttemptLog, characters: number): void {
    this.#waiting.add(log);
    this.#waitingCharacters += characters;
    if (this.#waitingCharacters > waitingCharactersMax) this.#makeRoom();
    this.#schedule();
  }

  #makeRoom(): void {
    for (const log of this.#waiting) {
      if (this.#waitingCharacters <= waitingCharactersMax) return;
      this.#waitingCharacters -= log.waitingCharacters;
      log.dropWaiting();
    }
  }

  #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#forget.length === 0 && this.#failed === null;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#calling !== null || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      // The attempts that waited may have succeeded meanwhile.
      if (!this.#isIdle()) this.#calling ??= this.#call();
    }, this.#delayMs);
    // Lines alone must not keep a process from its end: its workers store them when they stop.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #stopTimer(): void {
    if (this.#timer === null) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #call(): Promise<void> {
    const params = this.#failed ?? this.#take();
    this.#failed = null;
    try {
      await this.#append(params);
      this.#delayMs = intervalMs;
    } catch (error) {
      // A call that can never succeed must not keep the later ones from the store.
      if (this.#onError(error)) this.#failed = params;
      this.#delayMs = Math.min(this.#delayMs * 2, intervalMsMax);
    } finally {
      this.#calling = null;
    }
    if (!this.#isIdle()) this.#schedule();
  }

  #take(): AppendLogsParams {
    const chunks: LogChunk[] = [];
    const gaps: LogGap[] = [];
    const progress = new Map<string, ProgressEntry>();
    for (const log of this.#waiting) {
      const part = log.take();
      chunks.push(...part.chunks);
      if (part.gap !== null) gaps.push(part.gap);
      const { progress: entry } = part;
      // The attempt of a lease that expired may still run beside its successor in this process.
      const isNewer =
        entry !== null && entry.leaseVersion >= (progress.get(entry.jobId)?.leaseVersion ?? 0);
      if (isNewer) progress.set(entry.jobId, entry);
    }
    this.#waiting.clear();
    this.#waitingCharacters = 0;
    const forget = this.#forget;
    this.#forget = [];
    return { chunks, gaps, progress: [...progress.values()], forget, keptMs: logsKeptMs };
  }
}

/** Null: the store keeps no logs, or they are not wanted. */
export const createLogWriter = (
  { operator, capabilities }: AnyStateAdapter,
  observer: Observer,
  clock: Clock,
  options: AttemptLogsOptions,
): LogWriter | null => {
  const append = operator?.appendLogs;
  if (append === undefined || options.keep === "none") return null;
  const { isTransientError = () => true } = capabilities;
  const onError = (error: unknown): boolean => {
    observer.emit("stateAdapterError", () => ({ operation: "appendLogs", error }));
    return isTransientError(error);
  };
  return new LogWriter((params) => append(params), onError, clock, options);
};

const ignoreLine: WriteLogLine = () => undefined;
const ignoredLevels = { debug: ignoreLine, info: ignoreLine, warn: ignoreLine, error: ignoreLine };

/** The `log` of an attempt whose lines are not kept. */
export const ignoredLog: WriteAttemptLog = Object.assign(() => undefined, ignoredLevels);

/** The `progress` of an attempt that is not kept. */
export const ignoredProgress: WriteProgress = () => undefined;

export const assertAttemptLogsOptions = (options: AttemptLogsOptions | undefined): void => {
  if (options === undefined) return;
  assertObject(options, "attemptLogs");
  assertKnownOptions(options, ["level", "keep"], "attemptLogs.");
  assertOneOf(options.level, "attemptLogs.level", levels);
  assertOneOf(options.keep, "attemptLogs.keep", ["failed", "all", "none"]);
};

const assertOneOf = (value: unknown, name: string, allowed: readonly string[]): void => {
  if (value === undefined || allowed.some((each) => each === value)) return;
  throw new InvalidOptionError(name, value, `give one of ${allowed.join(", ")}`);
};
