// Timers that neither fired nor were cleared, also those that keep no process alive. Imported before anything that sets any.
const open = new Map<unknown, string>();

/** The real one, for the code that counts open timers. */
export const setUncountedTimeout: typeof setTimeout = globalThis.setTimeout;
const { clearTimeout: realClear, setInterval: realInterval, clearInterval: realStop } = globalThis;

// Its own frame, and that of the function that replaces the global one, are of no interest.
const whereFrom = (): string => (new Error().stack ?? "").split("\n").slice(3, 5).join("").trim();

const setCountedTimeout = (
  callback: (...args: unknown[]) => void,
  ms?: number,
  ...args: unknown[]
) => {
  const timer = setUncountedTimeout(() => {
    open.delete(timer);
    callback(...args);
  }, ms);
  open.set(timer, whereFrom());
  return timer;
};

const setCountedInterval = (
  callback: (...args: unknown[]) => void,
  ms?: number,
  ...args: unknown[]
) => {
  const timer = realInterval(callback, ms, ...args);
  open.set(timer, whereFrom());
  return timer;
};

// The same signatures but for `__promisify__`, which `node:timers/promises` does not go through.
globalThis.setTimeout = setCountedTimeout as typeof setTimeout;
globalThis.setInterval = setCountedInterval as typeof setInterval;
globalThis.clearTimeout = (timer) => {
  open.delete(timer);
  realClear(timer);
};
globalThis.clearInterval = (timer) => {
  open.delete(timer);
  realStop(timer);
};

/** Where those that are left were set. */
export const openTimers = (): readonly string[] => [...open.values()];
