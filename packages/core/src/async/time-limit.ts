// Limits on how long a promise is waited for. The promise itself goes on; its late outcome is ignored.
import type { Clock } from "./clock.ts";
import { sleep } from "./sleep.ts";

/** Resolves when the promise has settled, either way, or after the time; leaves no timer. */
export const settleOrTimeout = async (
  clock: Pick<Clock, "setTimeout" | "clearTimeout">,
  promise: Promise<unknown>,
  timeoutMs: number,
): Promise<void> => {
  const done = new AbortController();
  const settled = promise.then(
    () => undefined,
    // The owner of the promise handles its error; only the time counts here.
    () => undefined,
  );
  await Promise.race([settled, sleep(clock, timeoutMs, done.signal)]);
  done.abort();
};

/** Settles as the promise does, or rejects after the time. */
export const rejectAfter = <TValue>(
  promise: Promise<TValue>,
  timeoutMs: number,
  /** The subject of the error's message, such as "A ping"; or the error itself. */
  operation: string | (() => Error),
): Promise<TValue> =>
  new Promise((resolve, reject) => {
    const toError =
      typeof operation === "string"
        ? () => new Error(`${operation} took longer than ${timeoutMs} ms.`)
        : operation;
    const timer = setTimeout(() => reject(toError()), timeoutMs);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
