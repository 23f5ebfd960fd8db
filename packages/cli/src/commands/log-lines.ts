// The lines that attempts logged, for people: each with its time and its level. Lines that are not kept are counted.
import type { JobLogLine, OperatorFeatures } from "queuert/operator";
import { formatTime } from "../output/durations.ts";
import { safeLine, safeLines } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";

/** The lines of one job, with a heading for each attempt. */
export const logLines = (
  terminal: Terminal,
  { logs }: OperatorFeatures,
  lines: readonly JobLogLine[],
): string[] => {
  if (!logs) return ["logs are not kept in this store"];
  if (lines.length === 0) return ["no lines are kept"];
  return lines.flatMap((line, index) => {
    const before = lines[index - 1];
    const isSameAttempt = before?.leaseVersion === line.leaseVersion;
    const missing = line.number - (isSameAttempt ? before.number + 1 : 0);
    return [
      ...(isSameAttempt ? [] : [terminal.colour("dim", `attempt ${line.attempt}`)]),
      ...(missing > 0 ? [`  … ${missing} lines are not kept`] : []),
      ...logLine(terminal, line).map((text) => `  ${text}`),
    ];
  });
};

/** One line of an attempt. A message may have several lines. */
export const logLine = (
  terminal: Terminal,
  { at, level, message, data }: JobLogLine,
): readonly string[] => {
  const [first = "", ...others] = safeLines(message).split("\n");
  const head = `${formatTime(at, terminal.isUtc)} ${level.padEnd(5)} ${first}`;
  const shown = data === null ? head : `${head} ${safeLine(data)}`;
  return [shown, ...others.map((text) => `  ${text}`)];
};
