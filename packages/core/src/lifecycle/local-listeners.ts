// Notifies the workers and waiters of this process directly. A notify adapter may be unable to reach its server, may
// refuse, or may send to other processes only. It goes first, and notifies the same listeners where it can. Only jobs
// that it has brought to no worker of this process are offered again.
import { createHintDemand, createListenersByKey } from "../adapter-kit/hints.ts";
import type { Notifier } from "../after-commit/effects.ts";
import type {
  JobScheduledHint,
  JobScheduledListener,
  NotifyAdapter,
} from "../adapters/notify-adapter.ts";
import type { RemoteWaiters } from "./remote-waiters.ts";
import type { SequencePoller } from "./sequence-poller.ts";

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
