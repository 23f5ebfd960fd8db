import { describeError, escapeControls } from "../model/describe-error.ts";
import { isLevelWanted, type Log, type LogEvent, type LogLevel } from "./log.ts";

/**
 * Writes log events to the console, one line each: time, level, sentence, ids. An error follows with its stack and its
 * causes, and without its other fields: in those a driver puts whole rows.
 *
 * @example
 * ```ts
 * const queuert = await createQueuert({
 *   stateAdapter,
 *   jobTypeDefinitions: jobTypes,
 *   log: createConsoleLog({ minimumLevel: "debug" }),
 * });
 * ```
 */
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
    const message = escapeControls(event.message);
    const time = new Date().toISOString();
    const line = `${time} ${event.level.padEnd(5)} queuert ${message}${formatData(message, event.data)}`;
    target[event.level](event.error === undefined ? line : `${line}\n${formatError(event.error)}`);
  };
  return Object.assign(log, { minimumLevel });
};

/** Each value once: ids that stand in the sentence already are left out. */
const formatData = (message: string, data: Readonly<Record<string, unknown>>): string => {
  const parts: string[] = [];
  const values = new Set<string>();
  for (const [key, value] of Object.entries(data)) {
    if (value === undefined || value === null || key === "error") continue;
    if (typeof value === "object" && !(value instanceof Date) && !isTexts(value)) continue;
    const text = escapeControls(formatValue(value));
    const isId = typeof value === "string";
    if (isId && (values.has(text) || message.includes(text))) continue;
    values.add(text);
    parts.push(`${key}=${text}`);
  }
  return parts.length === 0 ? "" : ` (${parts.join(" ")})`;
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const formatValue = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  return isTexts(value) ? value.join(",") : String(value);
};

/** Indented, so that no line of it can pass for a line of the log. */
const formatError = (error: unknown): string =>
  describeError(error)
    .split(/\r\n|\r|\n|\u2028|\u2029/)
    .map((line) => `    ${escapeControls(line)}`)
    .join("\n");
