// How suites wait: for an outcome, with a deadline. The only fixed waits are graces, which show that
// something has not happened yet; a slow machine makes them too lenient, never wrong.

/** Long enough for an operation that is free to go, on a loaded machine, nearly always. */
export const graceMs: number = 60;

/** Longer than anything that works takes, also on a machine with other load. */
export const deadlineMs: number = 20_000;

/** A promise settled from outside. */
export { createDeferred as deferred, type Deferred } from "../async/deferred.ts";

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Whether the promise settles within the time; never rejects. */
export const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(
    () => true as const,
    () => true as const,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Resolves when the promise has settled, or `hasWaiting` says that it waits for another transaction; at the latest after a grace. */
export const settlesOrWaits = async (
  promise: Promise<unknown>,
  hasWaiting: (() => Promise<boolean>) | undefined,
): Promise<void> => {
  if (hasWaiting === undefined) return void (await settlesWithin(promise, graceMs));
  const giveUpAt = performance.now() + graceMs;
  while (!(await settlesWithin(promise, 2)) && performance.now() < giveUpAt) {
    if (await hasWaiting()) return;
  }
};

/** The promise's value, or an error that names the awaited event. */
export const within = async <T>(
  promise: Promise<T>,
  what: string,
  ms: number = deadlineMs,
): Promise<T> => {
  if (!(await settlesWithin(promise, ms))) throw new Error(`${what}: not within ${ms} ms`);
  return promise;
};

/** Looks again and again until something other than undefined comes. */
export const eventually = async <T>(
  look: () => Promise<T | undefined>,
  what: string,
  ms: number = deadlineMs,
): Promise<T> => {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${ms} ms`);
    await sleep(5);
  }
};
