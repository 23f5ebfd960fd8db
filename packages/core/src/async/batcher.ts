// Group commit: items wait while one batch is under way, and are the next batch. No timer, and no latency when idle.
import type { Clock } from "./clock.ts";
import { createDeferred, type Deferred } from "./deferred.ts";

export interface Batcher<TItem> {
  add(item: TItem): void;
  /** Waiting and under way. */
  readonly size: number;
  /** Resolves when fewer items than this are left. */
  whenBelow(size: number): Promise<void>;
}

/** `run` must handle its own errors and not reject. */
export const createBatcher = <TItem>(
  clock: Pick<Clock, "yield">,
  batchMax: number,
  run: (items: readonly TItem[]) => Promise<void>,
): Batcher<TItem> => {
  let waiting: TItem[] = [];
  let underWay = 0;
  let isRunning = false;
  let watchers: { readonly size: number; readonly deferred: Deferred<void> }[] = [];

  const notifyWatchers = (): void => {
    if (watchers.length === 0) return;
    const size = waiting.length + underWay;
    const ready = watchers.filter((watcher) => size < watcher.size);
    watchers = watchers.filter((watcher) => size >= watcher.size);
    for (const { deferred } of ready) deferred.resolve();
  };

  const drain = async (): Promise<void> => {
    // One turn of the event loop: items of the same turn are in one batch.
    await clock.yield();
    while (waiting.length > 0) {
      const batch = waiting.length <= batchMax ? waiting : waiting.slice(0, batchMax);
      waiting = waiting.length <= batchMax ? [] : waiting.slice(batchMax);
      underWay = batch.length;
      await run(batch);
      underWay = 0;
      notifyWatchers();
    }
    isRunning = false;
  };

  return {
    add: (item) => {
      waiting.push(item);
      if (isRunning) return;
      isRunning = true;
      void drain();
    },
    get size() {
      return waiting.length + underWay;
    },
    whenBelow: async (size) => {
      if (waiting.length + underWay < size) return;
      const deferred = createDeferred<void>();
      watchers.push({ size, deferred });
      await deferred.promise;
    },
  };
};
