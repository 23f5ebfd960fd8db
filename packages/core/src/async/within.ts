import type { Clock } from "./clock.ts";
import { sleep } from "./sleep.ts";

/** Resolves when the promise is settled, either way, or after so many milliseconds; leaves no timer. */
export const within = async (
  clock: Pick<Clock, "setTimeout" | "clearTimeout">,
  promise: Promise<unknown>,
  ms: number,
): Promise<void> => {
  const done = new AbortController();
  const settled = promise.then(
    () => undefined,
    // Whoever made the promise deals with its error; here only the time counts.
    () => undefined,
  );
  await Promise.race([settled, sleep(clock, ms, done.signal)]);
  done.abort();
};
