// Notifications within one process: listeners are called before `notify*` returns. No message is sent, so none can be
// lost or repeated. A hint without a listener that has room is dropped: a listener queries again when it has room.
import {
  createHintDemand,
  createListenersByKey,
  type ListenersByKey,
} from "../adapter-kit/hints.ts";
import type {
  JobScheduledListener,
  NotifyAdapter,
  StopListening,
} from "../adapters/notify-adapter.ts";

type OnId = (id: string) => void;

/** A listener for ownership listens for every job. */
const everyJob = "";

/**
 * Notifies the workers and waiters of this process synchronously, and wakes at most as many workers as there are jobs.
 *
 * @example
 * ```ts
 * // Two clients of one process that share a store.
 * const notifyAdapter = createInProcessNotifyAdapter();
 * const starter = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions: jobTypes });
 * const runner = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions: jobTypes });
 * ```
 */
export const createInProcessNotifyAdapter = (): NotifyAdapter => {
  let isClosed = false;
  const jobScheduled = createListenersByKey<JobScheduledListener>();
  const sequenceCompleted = createListenersByKey<OnId>();
  const ownershipLost = createListenersByKey<OnId>();
  const { notify, each } = createNotifier(() => isClosed);
  const demand = createHintDemand(jobScheduled, ({ onJobScheduled }, typeName, count) =>
    each(() => onJobScheduled(typeName, count)),
  );

  const notifyIds = (
    listeners: ListenersByKey<OnId>,
    ids: readonly string[],
    key?: string,
  ): void => {
    // Every job that ends a sequence calls this, and most sequences have no waiter.
    if (listeners.isEmpty()) return;
    notify(() => {
      for (const id of new Set(ids)) {
        for (const onId of listeners.of(key ?? id)) each(() => onId(id));
      }
    });
  };

  return {
    notifyJobScheduled: async (hints) => notify(() => demand.grant(hints)),
    listenJobScheduled: async (listener) =>
      listen(jobScheduled, listener.typeNames, {
        typeNames: listener.typeNames,
        onJobScheduled: (typeName, count) => listener.onJobScheduled(typeName, count),
        demand: (typeName, offered) => listener.demand?.(typeName, offered) ?? 1,
      }),

    notifyJobSequenceCompleted: async (ids) => notifyIds(sequenceCompleted, ids),
    listenJobSequenceCompleted: async ({ sequenceIds, onSequenceCompleted }) =>
      listen(sequenceCompleted, sequenceIds, (id) => onSequenceCompleted(id)),

    notifyJobOwnershipLost: async (ids) => notifyIds(ownershipLost, ids, everyJob),
    listenJobOwnershipLost: async ({ onOwnershipLost }) =>
      listen(ownershipLost, [everyJob], (id) => onOwnershipLost(id)),

    close: async () => {
      isClosed = true;
      for (const listeners of [jobScheduled, sequenceCompleted, ownershipLost]) listeners.clear();
    },
  };
};

/** Each call needs its own listener object: a listener may be added twice and stopped once. */
const listen = <TListener>(
  listeners: ListenersByKey<TListener>,
  keys: readonly string[],
  listener: TListener,
): StopListening => {
  const ownKeys = [...keys];
  listeners.add(ownKeys, listener);
  return async () => listeners.remove(ownKeys, listener);
};

interface Notifier {
  /** Calls listeners, then throws the first error of a listener. */
  readonly notify: (callListeners: () => void) => void;
  /** Calls one listener within `notify`. Its failure does not affect other listeners. */
  readonly each: (callListener: () => void) => void;
}

const createNotifier = (isClosed: () => boolean): Notifier => {
  let failures: { readonly error: unknown }[] = [];
  return {
    notify: (callListeners) => {
      if (isClosed()) return;
      // A listener may notify too. The failures of its listeners are its own.
      const outer = failures;
      const own: { readonly error: unknown }[] = [];
      failures = own;
      try {
        callListeners();
      } finally {
        failures = outer;
      }
      const [first] = own;
      if (first !== undefined) throw first.error;
    },
    each: (callListener) => {
      try {
        callListener();
      } catch (error) {
        failures.push({ error });
      }
    },
  };
};
