// Sends notifications, as hints: nobody waits for them, nothing depends on them, and their errors end here.
import type { JobScheduledHint, NotifyAdapter } from "../adapters/notify-adapter.ts";

export interface Announcer {
  jobScheduled(hints: readonly JobScheduledHint[]): void;
  sequencesEnded(sequenceIds: readonly string[]): void;
  ownershipLost(jobIds: readonly string[]): void;
  /** Resolves when everything announced so far has been handed over or has failed. */
  settled(): Promise<void>;
}

/** `notify` reports its own errors; what it rejects with is dropped here, and only here. */
export const createAnnouncer = (
  notify: Pick<
    NotifyAdapter,
    "notifyJobScheduled" | "notifyJobSequenceCompleted" | "notifyJobOwnershipLost"
  >,
): Announcer => {
  const pending = new Set<Promise<void>>();
  const send = (sent: Promise<void>): void => {
    const tracked: Promise<void> = sent
      .catch(() => undefined) // Reported by the adapter's wrapping; polling covers for the lost hint.
      .finally(() => pending.delete(tracked));
    pending.add(tracked);
  };
  return {
    jobScheduled: (hints) => send(notify.notifyJobScheduled(hints)),
    sequencesEnded: (sequenceIds) => send(notify.notifyJobSequenceCompleted(sequenceIds)),
    ownershipLost: (jobIds) => send(notify.notifyJobOwnershipLost(jobIds)),
    settled: async () => {
      await Promise.all(pending);
    },
  };
};
