// Looks at all sequences that are waited for in this process with one statement per round, however many wait.
import type { Clock, TimerHandle } from "../async/clock.ts";
import { timerMs } from "../async/sleep.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { StateSequence } from "../model/state-job.ts";

export interface SequenceWatch {
  readonly sequenceId: string;
  readonly pollIntervalMs: number;
  /** The sequence as it is, or undefined for none; called until `unwatch`. */
  readonly onLook: (sequence: StateSequence | undefined) => void;
  /** The poller is closed: nobody will look again. */
  readonly onClosed: () => void;
}

export interface SequencePoller {
  watch(watch: SequenceWatch): () => void;
  /** Looks at this sequence now, with whatever else is asked for in the same turn. */
  look(sequenceId: string): void;
  close(): void;
}

/** `state` reports its own errors; a failed look is repeated with the next round. */
export const createSequencePoller = (
  state: Pick<AnyStateAdapter, "getSequences">,
  clock: Clock,
): SequencePoller => {
  const watches = new Map<string, Set<SequenceWatch>>();
  let wanted = new Set<string>();
  let isLooking = false;
  let timer: TimerHandle | null = null;
  let dueAt = 0;

  const lookAtWanted = async (): Promise<void> => {
    isLooking = true;
    await Promise.resolve();
    while (wanted.size > 0) {
      const ids = [...wanted].filter((id) => watches.has(id));
      wanted = new Set();
      if (ids.length === 0) break;
      const found = await state.getSequences({ ids }).catch(() => null);
      if (found === null) break;
      ids.forEach((id, index) => {
        for (const watch of watches.get(id) ?? []) watch.onLook(found[index]);
      });
    }
    isLooking = false;
  };

  const look = (sequenceId: string): void => {
    wanted.add(sequenceId);
    if (!isLooking) void lookAtWanted();
  };

  const schedule = (): void => {
    if (timer !== null || watches.size === 0) return;
    let intervalMs = Infinity;
    for (const set of watches.values()) {
      for (const { pollIntervalMs } of set) intervalMs = Math.min(intervalMs, pollIntervalMs);
    }
    dueAt = clock.now() + intervalMs;
    timer = clock.setTimeout(() => {
      timer = null;
      for (const id of watches.keys()) look(id);
      schedule();
    }, timerMs(intervalMs));
  };

  const stopTimer = (): void => {
    if (timer !== null) clock.clearTimeout(timer);
    timer = null;
  };

  return {
    watch: (watch) => {
      const set = watches.get(watch.sequenceId) ?? new Set();
      watches.set(watch.sequenceId, set.add(watch));
      // One that is more impatient than all before it must not wait for their next round.
      if (clock.now() + watch.pollIntervalMs < dueAt) stopTimer();
      schedule();
      return () => {
        set.delete(watch);
        if (set.size === 0 && watches.get(watch.sequenceId) === set) {
          watches.delete(watch.sequenceId);
        }
        if (watches.size === 0) stopTimer();
      };
    },
    look,
    close: () => {
      stopTimer();
      const closed = [...watches.values()].flatMap((set) => [...set]);
      watches.clear();
      for (const { onClosed } of closed) onClosed();
    },
  };
};
