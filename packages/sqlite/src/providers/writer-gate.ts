// One writer at a time. Within the process, writers queue in the order of their calls. Between processes the lock of SQLite
// decides, and a call that finds it held tries again a little later. Neither blocks the event loop.
import { createAsyncLock, sleep, systemClock } from "queuert/internal";
import { isBusy } from "../driver-errors.ts";
import { SqliteBusyError } from "../errors.ts";

const retryDelayMsMin = 1;
const retryDelayMsMax = 20;

const isWorthWaiting = (error: unknown): boolean =>
  error instanceof SqliteBusyError || isBusy(error);

/**
 * Tries until SQLite is no longer busy, for at most `busyTimeoutMs`. The attempt must change nothing if SQLite is busy.
 * Returns the result without a promise if the first attempt succeeds.
 */
export const whenNotBusy = <T>(attempt: () => T, busyTimeoutMs: number): T | Promise<T> => {
  try {
    return attempt();
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    return tryAgain(attempt, busyTimeoutMs, error);
  }
};

const tryAgain = async <T>(
  attempt: () => T,
  busyTimeoutMs: number,
  firstError: unknown,
): Promise<T> => {
  const giveUpAt = performance.now() + busyTimeoutMs;
  let lastError = firstError;
  let delayMs = retryDelayMsMin;
  while (performance.now() < giveUpAt) {
    // Random, so that processes that collided once do not collide again.
    await sleep(systemClock, delayMs * (0.5 + Math.random()));
    delayMs = Math.min(delayMs * 2, retryDelayMsMax);
    try {
      return attempt();
    } catch (error) {
      if (!isWorthWaiting(error)) throw error;
      lastError = error;
    }
  }
  if (lastError instanceof SqliteBusyError) throw lastError;
  throw new SqliteBusyError("another_program", busyTimeoutMs, { cause: lastError });
};

export interface WriterGate {
  /** Null while another call has the gate or waits for it. */
  tryEnter(): (() => void) | null;
  /** Rejects if one holder keeps the gate for longer than the timeout while this call waits. */
  enter(): Promise<() => void>;
}

interface Waiter {
  readonly since: number;
  readonly giveUp: (error: SqliteBusyError) => void;
}

export const createWriterGate = (busyTimeoutMs: number): WriterGate => {
  const lock = createAsyncLock();
  const waiters = new Set<Waiter>();
  let heldSince = 0;
  let watch: NodeJS.Timeout | null = null;

  const held = (release: () => void): (() => void) => {
    heldSince = performance.now();
    return release;
  };

  // One timer for all waiters. A waiter gives up if one holder makes no progress. A long queue that moves is not a reason.
  const watchHolder = (): void => {
    watch = null;
    const now = performance.now();
    let nextMs = Infinity;
    for (const waiter of waiters) {
      const leftMs = Math.max(heldSince, waiter.since) + busyTimeoutMs - now;
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else waiter.giveUp(new SqliteBusyError("this_process", busyTimeoutMs));
    }
    if (nextMs !== Infinity) watch = setTimeout(watchHolder, Math.ceil(nextMs));
  };

  const enter = (): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        since: performance.now(),
        giveUp: (error) => {
          waiters.delete(waiter);
          reject(error);
        },
      };
      waiters.add(waiter);
      watch ??= setTimeout(watchHolder, busyTimeoutMs);
      void lock.acquire().then((release) => {
        // This waiter has given up: the next one gets the gate at once.
        if (!waiters.delete(waiter)) return release();
        if (waiters.size === 0 && watch !== null) {
          clearTimeout(watch);
          watch = null;
        }
        resolve(held(release));
      });
    });

  return {
    tryEnter: () => {
      const release = lock.tryAcquire();
      return release === null ? null : held(release);
    },
    enter,
  };
};
