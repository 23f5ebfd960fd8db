// Notifications within one process: whoever listens is called before `notify*` returns. Nothing is sent, so nothing can
// be lost or repeated. Hints that nobody has room for are dropped: a listener looks again by itself when it has.
import { createHintDemand } from "../adapter-kit/hint-demand.ts";
import { createListenersByKey, type ListenersByKey } from "../adapter-kit/listeners-by-key.ts";
import type {
  JobScheduledListener,
  NotifyAdapter,
  StopListening,
} from "../adapters/notify-adapter.ts";

type OnId = (id: string) => void;

/** Who listens for ownership listens for every job. */
const everyJob = "";

/** Tells the workers and waiters of this process, synchronously, and wakes no more of them than there are jobs. */
export const createInProcessNotifyAdapter = (): NotifyAdapter => {
  let isClosed = false;
  const jobScheduled = createListenersByKey<JobScheduledListener>();
  const sequenceCompleted = createListenersByKey<OnId>();
  const ownershipLost = createListenersByKey<OnId>();
  const { tell, each } = createTelling(() => isClosed);
  const demand = createHintDemand(jobScheduled, ({ onJobScheduled }, typeName, count) =>
    each(() => onJobScheduled(typeName, count)),
  );

  const tellIds = (listeners: ListenersByKey<OnId>, ids: readonly string[], key?: string): void => {
    // Every job that ends a sequence comes by here, and hardly ever does anybody wait for one.
    if (listeners.isEmpty()) return;
    tell(() => {
      for (const id of new Set(ids)) {
        for (const onId of listeners.of(key ?? id)) each(() => onId(id));
      }
    });
  };

  return {
    notifyJobScheduled: async (hints) => tell(() => demand.grant(hints)),
    listenJobScheduled: async (listener) =>
      listen(jobScheduled, listener.typeNames, {
        typeNames: listener.typeNames,
        onJobScheduled: (typeName, count) => listener.onJobScheduled(typeName, count),
        demand: (typeName, offered) => listener.demand?.(typeName, offered) ?? 1,
      }),

    notifyJobSequenceCompleted: async (ids) => tellIds(sequenceCompleted, ids),
    listenJobSequenceCompleted: async ({ sequenceIds, onSequenceCompleted }) =>
      listen(sequenceCompleted, sequenceIds, (id) => onSequenceCompleted(id)),

    notifyJobOwnershipLost: async (ids) => tellIds(ownershipLost, ids, everyJob),
    listenJobOwnershipLost: async ({ onOwnershipLost }) =>
      listen(ownershipLost, [everyJob], (id) => onOwnershipLost(id)),

    close: async () => {
      isClosed = true;
      for (const listeners of [jobScheduled, sequenceCompleted, ownershipLost]) listeners.clear();
    },
  };
};

/** `listener` must be an object of its own: the same one may be given twice, and stopped once. */
const listen = <TListener>(
  listeners: ListenersByKey<TListener>,
  keys: readonly string[],
  listener: TListener,
): StopListening => {
  const ownKeys = [...keys];
  listeners.add(ownKeys, listener);
  return async () => listeners.remove(ownKeys, listener);
};

interface Telling {
  /** Calls listeners, then throws what the first of them that failed has thrown. */
  readonly tell: (callListeners: () => void) => void;
  /** Calls one listener within `tell`: its failure keeps the message from no other. */
  readonly each: (callListener: () => void) => void;
}

const createTelling = (isClosed: () => boolean): Telling => {
  let failures: { readonly error: unknown }[] = [];
  return {
    tell: (callListeners) => {
      if (isClosed()) return;
      // A listener may notify in turn: its listeners' failures are its own.
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
