import { defaults } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { limits } from "../defaults.ts";
import { assertDurationMs, assertInteger, assertObject } from "./assert-option.ts";
import { assertKnownOptions } from "./assert-known-options.ts";

/** How far chance shortens a delay, so that jobs that failed together are not due together. */
export type Jitter = "none" | "equal" | "full";

/** When a failed attempt is repeated, and how often: by default 25 attempts, over about half a day. */
export type RetryConfig =
  | {
      /** The delay after the first attempt. Default 1000. */
      readonly initialDelayMs?: number | undefined;
      /** Each delay is the one before it times this. Default 2. */
      readonly multiplier?: number | undefined;
      /** No delay is longer. Default 3600000, an hour. */
      readonly maxDelayMs?: number | undefined;
      /** `"equal"` (default): from half the delay to all of it. `"full"`: from 0 to all of it. */
      readonly jitter?: Jitter | undefined;
      /** Attempts in all, those of crashed workers included. Default 25. `Infinity`: no limit. */
      readonly maxAttempts?: number | undefined;
      readonly delayMs?: undefined;
    }
  | {
      /** The delay after this attempt, instead of the exponential one. */
      readonly delayMs: (attempt: number, error: unknown) => number;
      /** Attempts in all, those of crashed workers included. Default 25. `Infinity`: no limit. */
      readonly maxAttempts?: number | undefined;
      readonly initialDelayMs?: undefined;
      readonly multiplier?: undefined;
      readonly maxDelayMs?: undefined;
      readonly jitter?: undefined;
    };

/** A checked policy: attempt and error to a delay in milliseconds. */
export interface RetryPolicy {
  readonly maxAttempts: number | null;
  readonly delayMs: (attempt: number, error: unknown, random: () => number) => number;
}

/** The delay before jitter: exponential, never above the maximum, never overflowing. */
export const exponentialDelayMs = (
  attempt: number,
  initialDelayMs: number,
  multiplier: number,
  maxDelayMs: number,
): number => {
  const delay = initialDelayMs * multiplier ** (Math.max(1, attempt) - 1);
  // multiplier ** 1000 is Infinity, and 0 * Infinity is not a number.
  return Number.isNaN(delay) ? maxDelayMs : Math.min(delay, maxDelayMs);
};

/** Moves a delay by chance; `random` gives numbers from 0 to below 1. */
export const withJitter = (delayMs: number, jitter: Jitter, random: () => number): number => {
  if (jitter === "none") return delayMs;
  return jitter === "full" ? delayMs * random() : delayMs / 2 + (delayMs / 2) * random();
};

const optionNames = [
  "initialDelayMs",
  "multiplier",
  "maxDelayMs",
  "jitter",
  "maxAttempts",
  "delayMs",
];

/** Checks a job type's options once, when it is implemented. */
export const toRetryPolicy = (config: RetryConfig = {}, option = "retryConfig"): RetryPolicy => {
  assertObject(config, option);
  assertKnownOptions(config, optionNames, `${option}.`);
  const { maxAttempts = defaults.retryMaxAttempts } = config;
  const limit = maxAttempts === Infinity ? null : maxAttempts;
  if (limit !== null) {
    assertInteger(limit, `${option}.maxAttempts`, { min: 1, max: 2 ** 31 - 1 });
  }
  if (config.delayMs !== undefined) return functionPolicy(config.delayMs, limit, option);
  return exponentialPolicy(config, limit, option);
};

const functionPolicy = (
  delayMs: (attempt: number, error: unknown) => number,
  maxAttempts: number | null,
  option: string,
): RetryPolicy => {
  if (typeof delayMs !== "function") {
    throw new InvalidOptionError(`${option}.delayMs`, delayMs, "give a function");
  }
  return {
    maxAttempts,
    // A function that throws or returns no duration must not lose the retry.
    delayMs: (attempt, error) => {
      const delay = delayMs(attempt, error);
      assertDurationMs(delay, `${option}.delayMs()`);
      return Math.min(delay, limits.delayMsMax);
    },
  };
};

const exponentialPolicy = (
  config: Exclude<RetryConfig, { readonly delayMs: unknown }>,
  maxAttempts: number | null,
  option: string,
): RetryPolicy => {
  const {
    initialDelayMs = defaults.retryInitialDelayMs,
    multiplier = defaults.retryMultiplier,
    maxDelayMs = defaults.retryMaxDelayMs,
    jitter = "equal",
  } = config;
  assertDurationMs(initialDelayMs, `${option}.initialDelayMs`);
  assertDurationMs(maxDelayMs, `${option}.maxDelayMs`);
  if (!Number.isFinite(multiplier) || multiplier < 1) {
    throw new InvalidOptionError(`${option}.multiplier`, multiplier, "give a number, 1 or more");
  }
  if (jitter !== "none" && jitter !== "equal" && jitter !== "full") {
    throw new InvalidOptionError(`${option}.jitter`, jitter, 'give "none", "equal" or "full"');
  }
  return {
    maxAttempts,
    delayMs: (attempt, _error, random) =>
      withJitter(
        exponentialDelayMs(attempt, initialDelayMs, multiplier, maxDelayMs),
        jitter,
        random,
      ),
  };
};
