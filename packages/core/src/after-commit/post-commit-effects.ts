// The notifications and events of writes, held until their transaction has committed. A listener then finds the write in the
// store, and nothing is observed that was rolled back.
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { JobScheduledHint, NotifyAdapter } from "../adapters/notify-adapter.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Observer } from "../observe/observer.ts";

/** Sends notifications as hints: no caller waits for them, and their errors end here. */
export interface Notifier {
  jobScheduled(hints: readonly JobScheduledHint[]): void;
  sequencesEnded(sequenceIds: readonly string[]): void;
  ownershipLost(jobIds: readonly string[]): void;
  /** Resolves when each notification so far has been handed over or has failed. */
  settled(): Promise<void>;
}

/** `notify` reports its own errors: its rejections are dropped here, and only here. */
export const createNotifier = (
  notify: Pick<
    NotifyAdapter,
    "notifyJobScheduled" | "notifyJobSequenceCompleted" | "notifyJobOwnershipLost"
  >,
): Notifier => {
  const pending = new Set<Promise<void>>();
  const send = (sent: Promise<void>): void => {
    const tracked: Promise<void> = sent
      // The wrapper of the adapter reports the error. Polling covers for the lost hint.
      .catch(() => undefined)
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

/** A buffer of effects. It is flushed once, discarded, or merged into another. */
export interface Effects {
  emit<TType extends QueuertEventType>(type: TType, data: () => QueuertEventData[TType]): void;
  /** The span of the attempt that the next events belong to. Null: the span that is active. */
  about(span: ObservabilitySpan | null): void;
  jobScheduled(typeName: string, count?: number): void;
  sequenceEnded(sequenceId: string): void;
  ownershipLost(jobId: string): void;
  /** Takes over an event of a buffer that is merged into this one. */
  adopt(event: () => void): void;
  /** False once it was flushed, discarded or merged: later effects would be lost. */
  readonly isOpen: boolean;
  /** The transaction has committed. */
  flush(): void;
  /** The transaction was rolled back. */
  discard(): void;
  /** Hands all effects over to another buffer, which flushes them. */
  mergeInto(parent: Effects): void;
}

/** Creates an empty buffer. */
export const createEffects = (observer: Observer, notifier: Notifier): Effects => {
  let isOpen = true;
  let events: (() => void)[] = [];
  let subject: ObservabilitySpan | null = null;
  const scheduled = new Map<string, number>();
  const ended: string[] = [];
  const lost: string[] = [];

  return {
    emit: (type, data) => {
      const event = observer.defer(type, data, subject);
      if (event !== null) events.push(event);
    },
    about: (span) => {
      subject = span;
    },
    jobScheduled: (typeName, count = 1) => {
      scheduled.set(typeName, (scheduled.get(typeName) ?? 0) + count);
    },
    sequenceEnded: (sequenceId) => {
      ended.push(sequenceId);
    },
    ownershipLost: (jobId) => {
      lost.push(jobId);
    },
    adopt: (event) => {
      events.push(event);
    },
    get isOpen() {
      return isOpen;
    },
    flush: () => {
      if (!isOpen) return;
      isOpen = false;
      // Notifications first: workers and waiters act on them.
      if (scheduled.size > 0) {
        notifier.jobScheduled([...scheduled].map(([typeName, count]) => ({ typeName, count })));
      }
      if (ended.length > 0) notifier.sequencesEnded(ended);
      if (lost.length > 0) notifier.ownershipLost(lost);
      for (const event of events) event();
      events = [];
    },
    discard: () => {
      isOpen = false;
      events = [];
    },
    mergeInto: (parent) => {
      isOpen = false;
      for (const [typeName, count] of scheduled) parent.jobScheduled(typeName, count);
      for (const sequenceId of ended) parent.sequenceEnded(sequenceId);
      for (const jobId of lost) parent.ownershipLost(jobId);
      for (const event of events) parent.adopt(event);
    },
  };
};
