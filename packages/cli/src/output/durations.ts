// Durations and times, as people and scripts write and read them.
import { CliUsageError } from "../errors.ts";

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `5s`, `10m`, `1h30m`, `250ms` in milliseconds. `option` names the origin in the error. */
export const parseDuration = (text: string, option: string): number => {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) {
    throw new CliUsageError(
      `${option} is "${text}": give a number with a unit, such as 500ms, 5s, 10m, 2h or 1d.`,
    );
  }
  return parts.reduce(
    (sum, [, amount = "0", unit = "ms"]) => sum + Number(amount) * (unitMs[unit] ?? 1),
    0,
  );
};

/** One unit, without a fraction where it has two digits. */
export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
};

/** `1,204`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");
