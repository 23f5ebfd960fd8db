import type { QueuertEventType } from "../adapters/events.ts";

/** The weight of a log event, lightest first. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** One thing worth a line. `data` holds ids, names, counts and times; never a payload. */
export interface LogEvent {
  readonly level: LogLevel;
  readonly type: QueuertEventType | "observerError";
  /** A sentence for people; for machines there is `type`. */
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** Receives log events. May be slow or throw: neither harms a job, though a slow one costs time. */
export interface Log {
  (event: LogEvent): void;
  /** Below this level nothing is even put into words. Left out: everything is passed on. */
  readonly minimumLevel?: LogLevel | undefined;
}

const order: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Whether an event of this level is wanted. */
export const isLevelWanted = (level: LogLevel, minimum: LogLevel = "debug"): boolean =>
  order[level] >= order[minimum];
