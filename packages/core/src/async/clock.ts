// Time and timers enter the engine here only, so that a simulation can replace them.

/** Opaque: the result of `setTimeout`, for `clearTimeout`. */
export type TimerHandle = unknown;

export interface Clock {
  /** Milliseconds, for durations: it never goes back. Due times are by the clock of the store. */
  now(): number;
  setTimeout(callback: () => void, ms: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
  /** Lets timers, signals and sockets have their turn: without it a synchronous store would starve them. */
  yield(): Promise<void>;
}

/**
 * The process's own clock. By the wall clock, a worker whose host is set back an hour would renew no lease for an hour.
 */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};
