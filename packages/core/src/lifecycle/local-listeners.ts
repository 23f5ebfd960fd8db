// Notifies the workers and waiters of this process directly. A notify adapter may be unable to reach its server, may
// refuse, or may send to other processes only. It goes first, and notifies the same listeners where it can. Only jobs
// that it has brought to no worker of this process are offered again.
import { createHintDemand, createListenersByKey } from "../adapter-kit/hints.ts";
import type { Notifier } from "../after-commit/open-transactions.ts";
import type {
  JobScheduledHint,
  JobScheduledListener,
  NotifyAdapter,
} from "../adapters/notify-adapter.ts";
import type { SequencePoller } from "./await-sequence.ts";
import type { Clock, TimerHandle } from "../async/clock.ts";

type NotifySender = Pick<NotifyAdapter, "notifyJobScheduled" | "notifyJobOwnershipLost">;

export interface LocalWorker extends Required<JobScheduledListener> {
  readonly onOwnershipLost: (jobId: string) => void;
}

export interface LocalListeners {
  /** Notifies this process and, through the adapter, the others. */
  readonly notifier: Notifier;
  /** `listener` is for the notify adapter: it notifies the same worker. */
  addWorker(worker: LocalWorker): {
    readonly listener: JobScheduledListener;
    readonly remove: () => void;
  };
  /** Calls the observer for each notification of this process. It takes no hint, and must not throw. Returns its end. */
  addObserver(onNotified: () => void): () => void;
  /** Jobs may have become due without a notification: every worker of this process queries the store once. */
  jobsMayBeDue(): void;
}

/** `adapter` reports its own errors: its rejections are dropped here, and only here. */
export const createLocalListeners = (
  adapter: NotifySender,
  sequencePoller: Pick<SequencePoller, "notified">,
  remoteWaiters: Pick<RemoteWaiters, "ended">,
): LocalListeners => {
  const workers = new Set<LocalWorker>();
  const observers = createObservers();
  const byType = createListenersByKey<JobScheduledListener>();
  const demand = createHintDemand(byType, ({ onJobScheduled }, typeName, count) =>
    onJobScheduled(typeName, count),
  );
  /** During a call of the adapter: how many jobs of each type it has brought to workers of this process. */
  let brought: Map<string, number> | null = null;

  const { track, settled } = createSent();

  const jobScheduled = (hints: readonly JobScheduledHint[]): void => {
    observers.tell();
    if (workers.size === 0) return track(adapter.notifyJobScheduled(hints));
    const counts = new Map<string, number>();
    brought = counts;
    track(adapter.notifyJobScheduled(hints));
    brought = null;
    for (const { typeName, count } of hints) {
      const left = count - (counts.get(typeName) ?? 0);
      if (left > 0) demand.grant([{ typeName, count: left }]);
    }
  };

  return {
    notifier: {
      jobScheduled,
      sequencesEnded: (sequenceIds) => {
        observers.tell();
        for (const id of sequenceIds) sequencePoller.notified(id);
        track(remoteWaiters.ended(sequenceIds));
      },
      ownershipLost: (jobIds) => {
        observers.tell();
        for (const { onOwnershipLost } of workers) jobIds.forEach(onOwnershipLost);
        track(adapter.notifyJobOwnershipLost(jobIds));
      },
      settled,
    },
    addWorker: (worker) => {
      const { typeNames, onJobScheduled } = worker;
      workers.add(worker);
      byType.add(typeNames, worker);
      const listener: JobScheduledListener = {
        typeNames,
        demand: worker.demand,
        onJobScheduled: (typeName, count) => {
          brought?.set(typeName, (brought.get(typeName) ?? 0) + (count ?? 0));
          onJobScheduled(typeName, count);
        },
      };
      return {
        listener,
        remove: () => {
          workers.delete(worker);
          byType.remove(typeNames, worker);
        },
      };
    },
    addObserver: observers.addObserver,
    jobsMayBeDue: () => {
      for (const { typeNames, onJobScheduled } of workers) onJobScheduled(typeNames[0] ?? "");
    },
  };
};

const createObservers = (): Pick<LocalListeners, "addObserver"> & { readonly tell: () => void } => {
  const observers = new Set<() => void>();
  return {
    tell: () => {
      for (const onNotified of observers) onNotified();
    },
    addObserver: (onNotified) => {
      // An object of its own: the same function may be given twice.
      const observer = (): void => onNotified();
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
};

/** The notifications that are on their way. */
const createSent = () => {
  const pending = new Set<Promise<void>>();
  return {
    track: (sent: Promise<void>): void => {
      const tracked: Promise<void> = sent
        // The wrapper of the adapter reports the error. Polling covers for the lost hint.
        .catch(() => undefined)
        .finally(() => pending.delete(tracked));
      pending.add(tracked);
    },
    settled: async (): Promise<void> => {
      await Promise.all(pending);
    },
  };
};

// The ends of sequences go to other processes only while one of them awaits a sequence. Without waiters, these notifications cost
// a drain over LISTEN and NOTIFY an eighth of its speed.
//
// A process that awaits a sequence says so at once, and repeats it, through the topic of lost leases, which every worker hears. A
// worker that begins to listen asks, through the topic of ended sequences, which every waiter hears. It keeps the latest ends
// until the answer. A lost message costs the waiter its poll interval only.

/** In place of a job's id: a process awaits sequences. */
export const waitersName = "queuert:waiters";

/** In place of a sequence's id: a worker asks whether a process awaits sequences. */
export const waitersAskedName = "queuert:waiters-asked";

/** A process that awaits sequences says so this often, and is believed for three times as long. */
const repeatMs = 5_000;
const believedMs = 3 * repeatMs;
/** A flood of forged questions costs one message for each of these times. */
const pauseMs = 100;
/** Ends from just before a waiter is heard: it may have queried the store before them. */
const keptMs = 1_000;
const keptMax = 5_000;

type WaitersAdapter = Pick<
  NotifyAdapter,
  "notifyJobSequenceCompleted" | "listenJobSequenceCompleted" | "notifyJobOwnershipLost"
>;

/** `adapter` reports its own errors: its rejections are dropped here. */
export class RemoteWaiters {
  readonly #adapter: WaitersAdapter;
  readonly #clock: Pick<Clock, "now" | "setTimeout" | "clearTimeout">;
  #listenerCount = 0;
  #waiterCount = 0;
  #knownUntil = -Infinity;
  #saidAt = -Infinity;
  #timer: TimerHandle | null = null;
  #dueAt = 0;
  /** An adapter calls the listeners of this process before it sends. */
  #isSending = false;
  #kept: { readonly at: number; readonly ids: readonly string[] }[] = [];
  #keptCount = 0;

  constructor(adapter: WaitersAdapter, clock: Pick<Clock, "now" | "setTimeout" | "clearTimeout">) {
    this.#adapter = adapter;
    this.#clock = clock;
  }

  /** Sequences have ended in this process. Rejects as the adapter does. */
  async ended(sequenceIds: readonly string[]): Promise<void> {
    const isAwaited = this.#listenerCount === 0 || this.#clock.now() < this.#knownUntil;
    if (isAwaited) await this.#adapter.notifyJobSequenceCompleted(sequenceIds);
    else this.#keep(sequenceIds);
  }

  /** A worker of this process hears of waiters from now on. Returns how to end that. */
  listen(): () => void {
    this.#listenerCount += 1;
    this.ask();
    return () => {
      this.#listenerCount -= 1;
    };
  }

  /** Waiters that have said so before are unknown here. */
  ask(): void {
    this.#send(() => this.#adapter.notifyJobSequenceCompleted([waitersAskedName]));
  }

  /** A message: a process awaits sequences. It may be forged. */
  heard(): void {
    if (this.#isSending) return;
    const now = this.#clock.now();
    this.#knownUntil = now + believedMs;
    const ids = this.#kept.filter(({ at }) => now - at <= keptMs).flatMap((kept) => kept.ids);
    this.#kept = [];
    this.#keptCount = 0;
    if (ids.length > 0) this.#send(() => this.#adapter.notifyJobSequenceCompleted(ids));
  }

  /** Calls back when another process has ended this sequence. Returns how to end that. Without the adapter, polling goes on. */
  async listenFor(sequenceId: string, onEnded: () => void): Promise<() => Promise<void>> {
    try {
      const stop = await this.#adapter.listenJobSequenceCompleted({
        sequenceIds: [sequenceId, waitersAskedName],
        onSequenceCompleted: (name) => {
          if (name === waitersAskedName) this.asked();
          else onEnded();
        },
      });
      const stopWaiting = this.wait();
      return () => {
        stopWaiting();
        return stop();
      };
    } catch {
      // Reported by the wrapper of the adapter.
      return async () => undefined;
    }
  }

  /** A sequence is awaited here from now on. Returns how to end that. */
  wait(): () => void {
    this.#waiterCount += 1;
    this.#sayAt(this.#saidAt + repeatMs);
    return () => {
      this.#waiterCount -= 1;
      if (this.#waiterCount === 0) this.#stopTimer();
    };
  }

  /** A message: a worker asks for waiters. It may be forged. */
  asked(): void {
    if (this.#waiterCount > 0 && !this.#isSending) this.#sayAt(this.#saidAt + pauseMs);
  }

  /** At this time, or when it was going to say so anyway. */
  #sayAt(time: number): void {
    if (this.#timer !== null && this.#dueAt <= time) return;
    this.#stopTimer();
    const waitMs = time - this.#clock.now();
    if (waitMs <= 0) return this.#say();
    this.#dueAt = time;
    this.#timer = this.#clock.setTimeout(() => this.#say(), waitMs);
  }

  #say(): void {
    this.#stopTimer();
    const now = this.#clock.now();
    this.#saidAt = now;
    this.#sayAt(now + repeatMs);
    this.#send(() => this.#adapter.notifyJobOwnershipLost([waitersName]));
  }

  #send(notify: () => Promise<void>): void {
    this.#isSending = true;
    notify().catch(() => undefined);
    this.#isSending = false;
  }

  #keep(ids: readonly string[]): void {
    const now = this.#clock.now();
    this.#kept.push({ at: now, ids });
    this.#keptCount += ids.length;
    for (let first = this.#kept[0]; first !== undefined; first = this.#kept[0]) {
      if (this.#keptCount <= keptMax && now - first.at <= keptMs) return;
      this.#kept.shift();
      this.#keptCount -= first.ids.length;
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
