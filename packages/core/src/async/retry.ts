import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { type Clock, systemClock } from "./clock.ts";
import { sleep } from "./sleep.ts";

/** How often and how patiently something that failed for a passing reason is tried again. */
export interface ConnectionRetryConfig {
  /** How often a call is repeated after its first failure. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** The delay before the first repetition, before jitter. Default: 50. */
  readonly initialDelayMs?: number | undefined;
  /** Each further delay is as many times as long. Default: 2. */
  readonly multiplier?: number | undefined;
  /** The longest delay. Default: 5000. */
  readonly maxDelayMs?: number | undefined;
}

export interface RetryOptions extends ConnectionRetryConfig {
  /** Whether trying again can help. */
  readonly isRetryable: (error: unknown) => boolean;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Pick<Clock, "setTimeout" | "clearTimeout"> | undefined;
  readonly random?: (() => number) | undefined;
}

/** Calls until it succeeds, fails for a lasting reason, or the retries are used up; then the last error surfaces. */
export const withRetry = async <T>(
  operation: (retry: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> => {
  for (let retry = 0; ; retry++) {
    try {
      return await operation(retry);
    } catch (error) {
      if (!(await waitBeforeRetry(error, retry, options))) throw error;
    }
  }
};

/** Waits for the delay of the next retry. False: the error is final. */
export const waitBeforeRetry = async (
  error: unknown,
  /** How many retries have failed. */
  retry: number,
  options: RetryOptions,
): Promise<boolean> => {
  const { maxRetries = 3, initialDelayMs = 50, multiplier = 2, maxDelayMs = 5_000 } = options;
  const { isRetryable, signal, clock = systemClock, random = Math.random } = options;
  if (retry >= maxRetries || signal?.aborted === true || !isRetryable(error)) return false;
  const delay = exponentialDelayMs(retry + 1, initialDelayMs, multiplier, maxDelayMs);
  await sleep(clock, withJitter(delay, "equal", random), signal);
  return true;
};
