import { defaults } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { limits } from "../defaults.ts";
import { assertDurationMs, assertInteger, assertObject } from "./assert-option.ts";
import { assertKnownOptions } from "./assert-known-options.ts";

/** How far a retry is moved within its delay, so that jobs that failed together do not return together. */
export type Jitter = "none" | "equal" | "full";

/** When a failed attempt is tried again, and how often. */
export type RetryConfig =
  | {
      readonly initialDelayMs?: number | undefined;
      readonly multiplier?: number | undefined;
      readonly maxDelayMs?: number | undefined;
      /** `"equal"` (default): between half the delay and all of it. `"full"`: between none and all. */
      readonly jitter?: Jitter | undefined;
      /** Left out: unlimited. */
      readonly maxAttempts?: number | undefined;
      readonly delayMs?: never;
    }
  | {
      readonly delayMs: (attempt: number, error: unknown) => number;
      readonly maxAttempts?: number | undefined;
      readonly initialDelayMs?: never;
      readonly multiplier?: never;
      readonly maxDelayMs?: never;
      readonly jitter?: never;
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
  const { maxAttempts } = config;
  if (maxAttempts === Infinity) {
    const remedy = "leave it out: attempts are not limited then";
    throw new InvalidOptionError(`${option}.maxAttempts`, maxAttempts, remedy);
  }
  if (maxAttempts !== undefined) {
    assertInteger(maxAttempts, `${option}.maxAttempts`, { min: 1, max: 2 ** 31 - 1 });
  }
  const limit = maxAttempts ?? null;
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
    // A policy of the user's that throws or answers nonsense must not lose the retry.
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
