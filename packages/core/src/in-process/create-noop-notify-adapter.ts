import type { NotifyAdapter } from "../adapters/notify-adapter.ts";

/** Tells nobody anything: workers and waiters find what there is by looking, at their poll interval. */
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
