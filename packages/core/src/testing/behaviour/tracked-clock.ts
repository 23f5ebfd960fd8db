import { type Clock, systemClock } from "../../async/clock.ts";

/** The process's clock, which counts the timers that still run on it. */
export interface TrackedClock {
  readonly clock: Clock;
  readonly pendingTimers: () => number;
}

export const createTrackedClock = (): TrackedClock => {
  const pending = new Set<unknown>();
  return {
    clock: {
      ...systemClock,
      setTimeout: (callback, ms) => {
        const handle = systemClock.setTimeout(() => {
          pending.delete(handle);
          callback();
        }, ms);
        pending.add(handle);
        return handle;
      },
      clearTimeout: (handle) => {
        pending.delete(handle);
        systemClock.clearTimeout(handle);
      },
    },
    pendingTimers: () => pending.size,
  };
};
