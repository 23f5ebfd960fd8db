import { type Clock, systemClock } from "../../async/clock.ts";

/** The process's clock, which counts the timers that still run on it. */
export interface TrackedClock {
  readonly clock: Clock;
  readonly pendingTimers: () => number;
}

/** So many times as fast: pauses of the engine pass in a part of their time. The clock of the store is another one. */
export const speedUp = (clock: Clock, times: number): Clock => {
  const begunAt = clock.now();
  return {
    ...clock,
    now: () => begunAt + (clock.now() - begunAt) * times,
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms / times),
  };
};

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
