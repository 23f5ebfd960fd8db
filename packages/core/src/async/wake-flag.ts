// Remembers a wake-up before the wait: one between a query and the wait is not lost.
import { type Clock } from "./clock.ts";
import { timerMs } from "./sleep.ts";

export interface WakeFlag {
  /** Ends the wait under way, or the next one at once. */
  wake(): void;
  /** Forgets earlier wake-ups: call it before looking. */
  clear(): void;
  /** Resolves when woken, or after so many milliseconds; null waits for as long as it takes. */
  wait(ms: number | null): Promise<void>;
}

export const createWakeFlag = (clock: Pick<Clock, "setTimeout" | "clearTimeout">): WakeFlag => {
  let isSet = false;
  let resume: (() => void) | null = null;
  return {
    wake: () => {
      isSet = true;
      resume?.();
    },
    clear: () => {
      isSet = false;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        if (isSet) return resolve();
        const finish = (): void => {
          if (timer !== undefined) clock.clearTimeout(timer);
          resume = null;
          resolve();
        };
        const timer = ms === null ? undefined : clock.setTimeout(finish, timerMs(ms));
        resume = finish;
      }),
  };
};
