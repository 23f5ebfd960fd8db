import type { NotifyAdapter } from "../adapters/notify-adapter.ts";

/**
 * Binds the adapter to the store before its first use. The first notification or listener reads the identity: the store
 * may have no schema yet when the client is created. After a failure the next one reads it.
 */
export const createStoreNotifyAdapter = (
  adapter: NotifyAdapter,
  getStoreId: () => Promise<string>,
  onError: (error: unknown) => void,
): NotifyAdapter => {
  // An adapter whose channels no other store can reach.
  if (adapter.bindStore === undefined) return adapter;
  let isBound = false;
  let binding: Promise<void> | undefined;

  const bind = async (): Promise<void> => {
    try {
      adapter.bindStore?.({ storeId: await getStoreId(), onError });
      isBound = true;
    } finally {
      binding = undefined;
    }
  };
  const whenBound = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!isBound) await (binding ??= bind());
    return run();
  };

  return {
    notifyJobScheduled: (hints) => whenBound(() => adapter.notifyJobScheduled(hints)),
    listenJobScheduled: (listener) => whenBound(() => adapter.listenJobScheduled(listener)),
    notifyJobSequenceCompleted: (ids) => whenBound(() => adapter.notifyJobSequenceCompleted(ids)),
    listenJobSequenceCompleted: (listener) =>
      whenBound(() => adapter.listenJobSequenceCompleted(listener)),
    notifyJobOwnershipLost: (ids) => whenBound(() => adapter.notifyJobOwnershipLost(ids)),
    listenJobOwnershipLost: (listener) => whenBound(() => adapter.listenJobOwnershipLost(listener)),
    close: () => adapter.close(),
  };
};
