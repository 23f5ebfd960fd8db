/** Mutual exclusion for async code, first come, first served. */
export interface AsyncLock {
  /** Runs the callback when all earlier holders have finished; releases whether it resolves or rejects. */
  run<T>(callback: () => T | Promise<T>): Promise<T>;
  /** Waits for the lock; call the returned function once to release it. */
  acquire(): Promise<() => void>;
  /** Takes the lock if it is neither held nor awaited. */
  tryAcquire(): (() => void) | null;
  readonly isLocked: boolean;
}

/** Creates a lock that is not held. */
export const createAsyncLock = (): AsyncLock => {
  // A linked queue would be O(1); an array with a moving head is, too, and allocates less.
  let waiting: (() => void)[] = [];
  let head = 0;
  let locked = false;

  const releaseOnce = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = waiting[head];
      if (next === undefined) {
        locked = false;
        waiting = [];
        head = 0;
      } else {
        // Handed over without unlocking: no other call can slip in between.
        head++;
        if (head > 1_024 && head * 2 > waiting.length) {
          waiting = waiting.slice(head);
          head = 0;
        }
        next();
      }
    };
  };

  const tryAcquire = (): (() => void) | null => {
    if (locked) return null;
    locked = true;
    return releaseOnce();
  };

  const acquire = async (): Promise<() => void> => {
    const release = tryAcquire();
    if (release !== null) return release;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return releaseOnce();
  };

  return {
    tryAcquire,
    acquire,
    run: async (callback) => {
      const release = tryAcquire() ?? (await acquire());
      try {
        return await callback();
      } finally {
        release();
      }
    },
    get isLocked() {
      return locked;
    },
  };
};
