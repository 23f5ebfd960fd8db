// With one writer, a transaction opened inside another waits for itself. Only async context can tell it from one that is
// merely opened at the same time, so where that is dear it is watched for a while only: code that nests transactions
// does so from its first call on. Whoever does it later is told by the store, when its patience is over.
import type { StateAdapterCapabilities } from "../adapters/state-adapter.ts";
import { isAsyncContextFree, ScopedStorage } from "../async/scoped-storage.ts";

export interface NestingWatch {
  /** Runs user code that holds a transaction of ours. */
  run<T>(callback: () => Promise<T>): Promise<T>;
  /** Whether the code that runs now is known to be inside a transaction of ours that is still open. */
  isInside(): boolean;
}

/** How many transactions are watched where watching all of them would slow down the whole process. */
const watchedMax = 100;

export const createNestingWatch = ({
  concurrentWriters,
  sharedBetweenProcesses,
}: StateAdapterCapabilities): NestingWatch => {
  if (concurrentWriters) return { run: (callback) => callback(), isInside: () => false };
  const storage = new ScopedStorage<{ isOpen: boolean }>();
  // A store in this process's memory has no other that could keep its writer, and no patience that could end.
  let left = isAsyncContextFree || !sharedBetweenProcesses ? Infinity : watchedMax;
  return {
    run: async (callback) => {
      if (left <= 0) return callback();
      left--;
      const cell = { isOpen: true };
      try {
        return await storage.run(cell, callback);
      } finally {
        cell.isOpen = false;
      }
    },
    isInside: () => storage.get()?.isOpen === true,
  };
};
