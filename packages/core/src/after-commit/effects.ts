// The notifications and events of writes, held until their transaction has committed. A listener then finds the write in the
// store, and nothing is observed that was rolled back.
//
// The router at the end decides which commit they wait for. If `transaction` opened the transaction of the context, that one.
// If the user opened it, the `withNotify` around the call, which async context carries. Otherwise the store is asked.
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import { ScopedStorage } from "../async/scoped-storage.ts";
import type { Observer } from "../observe/observer.ts";
import type { OpenTransactions } from "./open-transactions.ts";
import type { CommitEvidence, UnconfirmedCommits } from "./unconfirmed-commits.ts";

/** Sends notifications as hints (`lifecycle/local-listeners.ts`): no caller waits for them, and their errors end there. */
export interface Notifier {
  jobScheduled(hints: readonly JobScheduledHint[]): void;
  sequencesEnded(sequenceIds: readonly string[]): void;
  ownershipLost(jobIds: readonly string[]): void;
  /** Resolves when each notification so far has been handed over or has failed. */
  settled(): Promise<void>;
}

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

export interface EffectRouter {
  create(): Effects;
  /**
   * `withNotify`: gathers effects during the callback, and flushes them when it resolves. An outer `withNotify` takes over
   * the effects of an inner one. If the callback rejects, the store is asked which of its writes were committed.
   */
  gather<T>(callback: () => Promise<T>): Promise<T>;
  /**
   * Records the effects of a write in the transaction of this context. A write without a context has been committed: its
   * effects are flushed at once. If the commit is not known, the store is asked until it shows the evidence.
   */
  record(
    context: object | undefined,
    evidence: CommitEvidence,
    write: (effects: Effects) => void,
  ): void;
}

interface Write {
  readonly evidence: CommitEvidence;
  readonly effects: Effects;
}

/** The writes inside one `withNotify`. */
interface Gathering {
  readonly writes: Write[];
  /** False once the callback has ended: later writes find another way. */
  isOpen: boolean;
}

/** One per engine: two clients in a process do not flush effects of each other. */
export const createEffectRouter = (
  observer: Observer,
  notifier: Notifier,
  transactions: OpenTransactions,
  unconfirmed: UnconfirmedCommits,
): EffectRouter => {
  const storage = new ScopedStorage<Gathering>();
  const create = (): Effects => createEffects(observer, notifier);

  const current = (): Gathering | undefined => {
    const gathering = storage.get();
    return gathering?.isOpen === true ? gathering : undefined;
  };

  const flushTogether = (writes: readonly Write[]): void => {
    const together = create();
    for (const { effects } of writes) effects.mergeInto(together);
    together.flush();
  };

  return {
    create,
    gather: async (callback) => {
      const parent = current();
      const own: Gathering = { writes: [], isOpen: true };
      try {
        const result = await storage.run(own, callback);
        if (parent?.isOpen === true) parent.writes.push(...own.writes);
        else flushTogether(own.writes);
        return result;
      } catch (error) {
        for (const { evidence, effects } of own.writes) unconfirmed.add(evidence, effects);
        throw error;
      } finally {
        own.isOpen = false;
      }
    },
    record: (context, evidence, write) => {
      const transaction = context === undefined ? undefined : transactions.find(context);
      if (transaction !== undefined) return write(transaction.effects);
      const effects = create();
      write(effects);
      if (context === undefined) return effects.flush();
      const gathering = current();
      if (gathering !== undefined) {
        gathering.writes.push({ evidence, effects });
        return;
      }
      const { operation, jobCount } = evidence;
      observer.emit("notifyContextAbsence", () => ({ operation, jobCount }));
      unconfirmed.add(evidence, effects);
    },
  };
};
