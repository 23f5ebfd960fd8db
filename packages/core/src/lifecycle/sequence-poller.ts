// Queries all sequences that are awaited in this process with one statement per round, whatever their number.
// Notifications come from other processes, and anybody with access to the channel can send them: an id that nothing here
// awaits is dropped, and after a query that found no end, notifications wait for a moment.
import type { Clock, TimerHandle } from "../async/clock.ts";
import { timerMs } from "../async/sleep.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { StateSequence } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";

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
  /** Queries this sequence now, together with all others that are requested in the same turn. */
  look(sequenceId: string): void;
  /** A notification names this sequence. */
  notified(sequenceId: string): void;
  close(): void;
}

/** The pause for notifications after a query on their account that found no sequence ended. */
const fruitlessPauseMs = 25;

/** `state` reports its own errors; a failed query is repeated with the next round. */
export const createSequencePoller = (
  state: Pick<AnyStateAdapter, "getSequences">,
  clock: Clock,
): SequencePoller => {
  const watches = new Map<string, Set<SequenceWatch>>();
  let wanted = new Set<string>();
  const notifiedIds = new Set<string>();
  let isLooking = false;
  let timer: TimerHandle | null = null;
  let pause: TimerHandle | null = null;
  let dueAt = 0;

  const lookAtWanted = async (): Promise<void> => {
    isLooking = true;
    await Promise.resolve();
    while (wanted.size > 0) {
      const ids = [...wanted].filter((id) => watches.has(id));
      wanted = new Set();
      if (ids.length === 0) break;
      const notifiedCount = ids.filter((id) => notifiedIds.delete(id)).length;
      const found = await state.getSequences({ ids }).catch(() => null);
      if (found === null) break;
      let hasEnded = false;
      ids.forEach((id, index) => {
        const sequence = found[index];
        hasEnded ||= sequence === undefined || isFinished(sequence.current.status);
        for (const watch of watches.get(id) ?? []) watch.onLook(sequence);
      });
      if (notifiedCount > 0 && !hasEnded) pauseNotifications();
    }
    isLooking = false;
  };

  const look = (sequenceId: string): void => {
    wanted.add(sequenceId);
    if (!isLooking) void lookAtWanted();
  };

  const notified = (sequenceId: string): void => {
    if (!watches.has(sequenceId)) return;
    notifiedIds.add(sequenceId);
    if (pause === null) look(sequenceId);
  };

  const pauseNotifications = (): void => {
    pause ??= clock.setTimeout(() => {
      pause = null;
      for (const id of notifiedIds) look(id);
    }, fruitlessPauseMs);
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

  const stop = (): void => {
    stopTimer();
    if (pause !== null) clock.clearTimeout(pause);
    pause = null;
    notifiedIds.clear();
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
        if (watches.size === 0) stop();
      };
    },
    look,
    notified,
    close: () => {
      stop();
      const closed = [...watches.values()].flatMap((set) => [...set]);
      watches.clear();
      for (const { onClosed } of closed) onClosed();
    },
  };
};
