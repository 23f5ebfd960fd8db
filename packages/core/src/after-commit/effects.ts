// What the world is told about writes, held back until their transaction has committed: a listener must never look for
// what is not there yet, and nothing is observed that was rolled back.
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Observer } from "../observe/observer.ts";
import type { Announcer } from "./announcer.ts";

/** A buffer of effects. It is flushed once, dropped, or merged into another. */
export interface Effects {
  emit<TType extends QueuertEventType>(type: TType, data: () => QueuertEventData[TType]): void;
  /** Whose doing the events to come are: an attempt's. Null: whatever is active. */
  about(span: ObservabilitySpan | null): void;
  jobScheduled(typeName: string, count?: number): void;
  sequenceEnded(sequenceId: string): void;
  ownershipLost(jobId: string): void;
  /** Takes over an event of a buffer that is merged into this one. */
  adopt(event: () => void): void;
  /** Whether it still takes effects; afterwards they would be lost. */
  readonly isOpen: boolean;
  /** The transaction has committed. */
  flush(): void;
  /** The transaction was rolled back. */
  discard(): void;
  /** Whatever is in here becomes the other's to flush. */
  mergeInto(parent: Effects): void;
}

/** Creates an empty buffer. */
export const createEffects = (observer: Observer, announcer: Announcer): Effects => {
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
      // Wake others first: they have work to do, events only tell of it.
      if (scheduled.size > 0) {
        announcer.jobScheduled([...scheduled].map(([typeName, count]) => ({ typeName, count })));
      }
      if (ended.length > 0) announcer.sequencesEnded(ended);
      if (lost.length > 0) announcer.ownershipLost(lost);
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
