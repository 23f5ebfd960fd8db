import type { NotifyAdapter } from "../adapters/notify-adapter.ts";

/**
 * Sends no notification: workers and waiters query at their poll interval.
 *
 * @example
 * ```ts
 * const queuert = await createQueuert({
 *   stateAdapter,
 *   jobTypeDefinitions: jobTypes,
 *   notifyAdapter: createNoopNotifyAdapter(), // this process sends no hints
 * });
 * ```
 */
export const createNoopNotifyAdapter = (): NotifyAdapter => {
  const nothing = async (): Promise<void> => undefined;
  const listenToNothing = async (): Promise<() => Promise<void>> => nothing;
  return {
    notifyJobScheduled: nothing,
    listenJobScheduled: listenToNothing,
    notifyJobSequenceCompleted: nothing,
    listenJobSequenceCompleted: listenToNothing,
    notifyJobOwnershipLost: nothing,
    listenJobOwnershipLost: listenToNothing,
    close: nothing,
  };
};
