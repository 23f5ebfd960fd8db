import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertDurationMs } from "../model/assert-option.ts";

/** Milliseconds, or the sum of several units: `{ hours: 1, minutes: 30 }`. */
export type Duration =
  | number
  | {
      readonly days?: number | undefined;
      readonly hours?: number | undefined;
      readonly minutes?: number | undefined;
      readonly seconds?: number | undefined;
      readonly milliseconds?: number | undefined;
    };

const units = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
} as const;

const unitNames = Object.keys(units) as readonly (keyof typeof units)[];

/** Milliseconds. Refuses another value by the name of its option. */
export const toMs = (duration: Duration, option: string): number => {
  if (typeof duration !== "object" || duration === null) {
    assertDurationMs(duration, option);
    return duration;
  }
  assertKnownOptions(duration, unitNames);
  let ms = 0;
  for (const name of unitNames) {
    const amount = duration[name] ?? 0;
    if (typeof amount !== "number") {
      throw new InvalidOptionError(`${option}.${name}`, amount, "give a number");
    }
    ms += amount * units[name];
  }
  assertDurationMs(ms, option);
  return ms;
};

const shortNames = { days: "d", hours: "h", minutes: "min", seconds: "s", milliseconds: "ms" };

/** In the largest unit, to one digit: `1.5 h`. */
export const describeMs = (ms: number): string => {
  const unit = unitNames.find((name) => Math.abs(ms) >= units[name]) ?? "milliseconds";
  return `${Math.round((ms / units[unit]) * 10) / 10} ${shortNames[unit]}`;
};
