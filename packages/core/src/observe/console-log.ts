import { isLevelWanted, type Log, type LogEvent, type LogLevel } from "./log.ts";

/** Writes log events to the console, one line each: time, level, sentence, ids. */
export const createConsoleLog = (
  options: {
    /** Default `"info"`. */
    readonly minimumLevel?: LogLevel | undefined;
    readonly console?: Pick<Console, LogLevel> | undefined;
  } = {},
): Log => {
  const { minimumLevel = "info", console: target = console } = options;
  const log = (event: LogEvent): void => {
    if (!isLevelWanted(event.level, minimumLevel)) return;
    const line = `${new Date().toISOString()} ${event.level.padEnd(5)} queuert ${event.message}`;
    const details = formatData(event.data);
    if (event.error === undefined) target[event.level](line + details);
    else target[event.level](line + details, event.error);
  };
  return Object.assign(log, { minimumLevel });
};

const formatData = (data: Readonly<Record<string, unknown>>): string => {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (value === undefined || value === null || key === "error") continue;
    parts.push(`${key}=${formatValue(value)}`);
  }
  return parts.length === 0 ? "" : ` (${parts.join(" ")})`;
};

const formatValue = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  return Array.isArray(value) ? value.join(",") : String(value);
};
