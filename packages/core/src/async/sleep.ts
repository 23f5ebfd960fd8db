import { limits } from "../defaults.ts";
import type { Clock } from "./clock.ts";

/** Resolves after this time, or at once when the signal aborts; never rejects, never leaves a timer. */
export const sleep = (
  clock: Pick<Clock, "setTimeout" | "clearTimeout">,
  ms: number,
  signal?: AbortSignal | undefined,
): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const finish = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimeout(finish, timerMs(ms));
    signal?.addEventListener("abort", finish, { once: true });
  });

/** A delay that a timer can take: a longer one would fire at once. */
export const timerMs = (ms: number): number =>
  Math.max(0, Math.min(Math.ceil(ms), limits.timerMsMax));
