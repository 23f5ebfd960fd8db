// Group commit: items wait while one batch is under way, and are the next batch. No timer, and no latency when idle.
import type { Clock } from "./clock.ts";

export interface BatchBounds<TItem> {
  /** Items in one batch. */
  readonly itemsMax: number;
  /** The weight of a batch of several items. One item may be heavier. */
  readonly weightMax: number;
  readonly weightOf: (item: TItem) => number;
}

export interface Batcher<TItem> {
  add(item: TItem): void;
  /** Null while fewer items are held than two full batches have. Otherwise resolves when that is so again. */
  whenRoom(): Promise<void> | null;
  /** Resolves when no item is waiting or under way. */
  whenIdle(): Promise<void>;
}

/** Items and their weight. */
interface Load {
  count: number;
  weight: number;
}

/** `run` must handle its own errors and not reject. */
export const createBatcher = <TItem>(
  clock: Pick<Clock, "yield">,
  { itemsMax, weightMax, weightOf }: BatchBounds<TItem>,
  run: (items: readonly TItem[]) => Promise<void>,
): Batcher<TItem> => {
  let waiting: TItem[] = [];
  let isRunning = false;
  /** Waiting and under way. */
  const held: Load = { count: 0, weight: 0 };
  let watchers: { readonly isReached: () => boolean; readonly resolve: () => void }[] = [];

  const hasRoom = (): boolean => held.count < 2 * itemsMax && held.weight < 2 * weightMax;
  const isIdle = (): boolean => held.count === 0;

  const notifyWatchers = (): void => {
    if (watchers.length === 0) return;
    const ready = watchers.filter(({ isReached }) => isReached());
    watchers = watchers.filter((watcher) => !ready.includes(watcher));
    for (const { resolve } of ready) resolve();
  };

  const until = async (isReached: () => boolean): Promise<void> => {
    if (isReached()) return;
    await new Promise<void>((resolve) => {
      watchers.push({ isReached, resolve });
    });
  };

  /** The first of the waiting items that fit into one batch, and their weight. */
  const measureBatch = (): Load => {
    const batch: Load = { count: 0, weight: 0 };
    for (const item of waiting) {
      const weight = weightOf(item);
      const isFull = batch.count === itemsMax || batch.weight + weight > weightMax;
      if (isFull && batch.count > 0) break;
      batch.count += 1;
      batch.weight += weight;
    }
    return batch;
  };

  const drain = async (): Promise<void> => {
    // One turn of the event loop: items of the same turn are in one batch.
    await clock.yield();
    while (waiting.length > 0) {
      const { count, weight } = measureBatch();
      const batch = count === waiting.length ? waiting : waiting.slice(0, count);
      waiting = count === waiting.length ? [] : waiting.slice(count);
      await run(batch);
      held.count -= count;
      held.weight -= weight;
      notifyWatchers();
    }
    isRunning = false;
  };

  return {
    add: (item) => {
      waiting.push(item);
      held.count += 1;
      held.weight += weightOf(item);
      if (isRunning) return;
      isRunning = true;
      void drain();
    },
    whenRoom: () => (hasRoom() ? null : until(hasRoom)),
    whenIdle: () => until(isIdle),
  };
};
