// Time and timers enter the engine here only, so that a simulation can replace them.

/** Opaque: the result of `setTimeout`, for `clearTimeout`. */
export type TimerHandle = unknown;

export interface Clock {
  /** Milliseconds since 1970, for durations and for the in-process store; never for due times of another store. */
  now(): number;
  setTimeout(callback: () => void, ms: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
  /** Lets timers, signals and sockets have their turn: without it a synchronous store would starve them. */
  yield(): Promise<void>;
}

/** The process's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};
