// Queries all sequences that are awaited in this process with one statement per round.
// Notifications come from other processes and can be forged. An id that this process does not await is dropped. After a
// query that found no sequence ended, further notifications wait for a moment.
import type { Clock, TimerHandle } from "../async/clock.ts";
import { timerMs } from "../async/sleep.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { StateSequence } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";

export interface SequenceWatch {
  readonly sequenceId: string;
  readonly pollIntervalMs: number;
  /** The sequence as it is stored, or undefined if it is not there; called until `unwatch`. */
  readonly onSequence: (sequence: StateSequence | undefined) => void;
  /** The poller is closed: there are no more queries. */
  readonly onClosed: () => void;
}

/** The pause for notifications after a query on their account that found no sequence ended. */
const fruitlessPauseMs = 25;

/** `state` reports its own errors; a failed query is repeated with the next round. */
export class SequencePoller {
  readonly #state: Pick<AnyStateAdapter, "getSequences">;
  readonly #clock: Clock;
  readonly #watches = new Map<string, Set<SequenceWatch>>();
  #wantedIds = new Set<string>();
  readonly #notifiedIds = new Set<string>();
  #isQuerying = false;
  #timer: TimerHandle | null = null;
  #dueAt = 0;
  #pause: TimerHandle | null = null;

  constructor(state: Pick<AnyStateAdapter, "getSequences">, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Returns how to stop. */
  watch(watch: SequenceWatch): () => void {
    const { sequenceId } = watch;
    const set = this.#watches.get(sequenceId) ?? new Set();
    this.#watches.set(sequenceId, set.add(watch));
    // A shorter interval than all before must not wait for their next round.
    if (this.#clock.now() + watch.pollIntervalMs < this.#dueAt) this.#stopTimer();
    this.#schedule();
    return () => {
      set.delete(watch);
      if (set.size === 0 && this.#watches.get(sequenceId) === set) this.#watches.delete(sequenceId);
      if (this.#watches.size === 0) this.#stop();
    };
  }

  /** Queries this sequence now, together with all others that are requested in the same turn. */
  query(sequenceId: string): void {
    this.#wantedIds.add(sequenceId);
    if (!this.#isQuerying) void this.#queryWanted();
  }

  /** A notification names this sequence. */
  notified(sequenceId: string): void {
    if (!this.#watches.has(sequenceId)) return;
    this.#notifiedIds.add(sequenceId);
    if (this.#pause === null) this.query(sequenceId);
  }

  close(): void {
    this.#stop();
    const closed = [...this.#watches.values()].flatMap((set) => [...set]);
    this.#watches.clear();
    for (const { onClosed } of closed) onClosed();
  }

  async #queryWanted(): Promise<void> {
    this.#isQuerying = true;
    await Promise.resolve();
    while (this.#wantedIds.size > 0) {
      const ids = [...this.#wantedIds].filter((id) => this.#watches.has(id));
      this.#wantedIds = new Set();
      if (ids.length === 0) break;
      const notifiedCount = ids.filter((id) => this.#notifiedIds.delete(id)).length;
      const found = await this.#state.getSequences({ ids }).catch(() => null);
      if (found === null) break;
      ids.forEach((id, index) => {
        for (const { onSequence } of this.#watches.get(id) ?? []) onSequence(found[index]);
      });
      if (notifiedCount > 0 && !found.some(hasEnded)) this.#pauseNotifications();
    }
    this.#isQuerying = false;
  }

  #pauseNotifications(): void {
    if (this.#watches.size === 0) return;
    this.#pause ??= this.#clock.setTimeout(() => {
      this.#pause = null;
      for (const id of this.#notifiedIds) this.query(id);
    }, fruitlessPauseMs);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#watches.size === 0) return;
    let intervalMs = Infinity;
    for (const set of this.#watches.values()) {
      for (const { pollIntervalMs } of set) intervalMs = Math.min(intervalMs, pollIntervalMs);
    }
    this.#dueAt = this.#clock.now() + intervalMs;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      for (const id of this.#watches.keys()) this.query(id);
      this.#schedule();
    }, timerMs(intervalMs));
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #stop(): void {
    this.#stopTimer();
    if (this.#pause !== null) this.#clock.clearTimeout(this.#pause);
    this.#pause = null;
    this.#notifiedIds.clear();
  }
}

/** A sequence that is not there has ended for its waiters. */
const hasEnded = (sequence: StateSequence | undefined): boolean =>
  sequence === undefined || isFinished(sequence.current.status);
