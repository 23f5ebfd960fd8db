// Time, timers and chance enter the engine through these two only, so that a simulation can replace them.

/** Opaque: what `setTimeout` gave and `clearTimeout` takes. */
export type TimerHandle = unknown;

export interface Clock {
  /** Milliseconds since 1970, for durations and for the in-process store; never for what is due elsewhere. */
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
