// One writer at a time. Within the process writers queue, first come, first served; between processes SQLite's own lock
// decides, and whoever finds it taken asks again a little later. Neither ever blocks the event loop.
import { createAsyncLock, sleep, systemClock } from "queuert/internal";
import { isBusy } from "../driver-errors.ts";
import { SqliteBusyError } from "../errors.ts";

const retryDelayMsMin = 1;
const retryDelayMsMax = 20;

const isWorthWaiting = (error: unknown): boolean =>
  error instanceof SqliteBusyError || isBusy(error);

/**
 * Tries until SQLite is not busy any more, or for so long. Only for what changes nothing when it finds it busy.
 * Answers at once, without a promise, in the usual case that nobody is in the way.
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
    // By chance, so that processes that collided once do not go on colliding.
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
  /** Null while somebody has it or waits for it. */
  tryEnter(): (() => void) | null;
  /** Rejects when one and the same holder keeps it for longer than the timeout while this caller waits. */
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

  // One timer for all who wait. What counts is progress: a long queue that moves is no reason to give up.
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
        // Given up meanwhile: the next in the queue has it at once.
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
