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

/** `2 h ago`, `in 3 min`. */
export const formatAge = (at: Date, now: Date): string => {
  const ms = now.getTime() - at.getTime();
  return ms >= 0 ? `${formatDuration(ms)} ago` : `in ${formatDuration(-ms)}`;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** A time to the second: in UTC with a `Z`, or of this machine's zone with its offset. */
export const formatTime = (at: Date, isUtc: boolean): string => {
  if (isUtc) return at.toISOString().replace(/\.\d+Z$/, "Z");
  const offset = -at.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${zone}`;
};

/** `1,204`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");
