// oxlint-disable max-lines -- a transaction and the effects that wait for it are one story.
// The open transactions that `transaction` and handlers run in, found by the objects in their contexts: a client, a session.
// So a write finds the buffer of its effects, and a transaction its pending calls, without async context. The names of those
// objects are learned from the first context, unless the state adapter declares them.
import type { AnyStateAdapter, StateAdapterCapabilities } from "../adapters/state-adapter.ts";
import { ScopedStorage } from "../async/scoped-storage.ts";
import {
  ProcessMisuseError,
  StateNotInTransactionError,
  TransactionEndingError,
} from "../errors.ts";
import { nearNames } from "../model/assert-known-options.ts";
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Observer } from "../observe/observer.ts";
import type { CommitEvidence, UnconfirmedCommits } from "./unconfirmed-commits.ts";

/** The calls that a user's callback makes in its transaction, awaited or not, until the callback has ended. */
export class PendingCalls {
  #isEnding = false;
  #callCount = 0;
  #onLeft: (() => void) | null = null;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Runs a call in the transaction. Refuses it if the callback has returned or thrown. */
  async call<T>(operation: string, run: () => Promise<T>): Promise<T> {
    this.assertOpen(operation);
    return this.track(run());
  }

  /** Refuses a call if the callback has returned or thrown. */
  assertOpen(operation: string): void {
    if (this.#isEnding) throw new TransactionEndingError(operation);
  }

  /** Counts a call among the pending ones until it has settled. */
  async track<T>(call: Promise<T>): Promise<T> {
    this.#callCount++;
    try {
      return await call;
    } finally {
      if (--this.#callCount === 0) this.#onLeft?.();
    }
  }

  /**
   * Refuses further calls. Resolves when the pending ones have ended; null if there are none. A transaction that ended
   * before them would leave their statements outside: stored, although everything else was rolled back.
   */
  leave(): Promise<void> | null {
    this.#isEnding = true;
    if (this.#callCount === 0) return null;
    return new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }
}

type Context = Readonly<Record<string, unknown>>;

/** One transaction, from its beginning until its commit or rollback. */
export class OpenTransaction extends PendingCalls {
  readonly context: Context;
  /** The objects that identify it. A copy: the user may change the context meanwhile. */
  readonly parts: readonly object[];
  /** The effects of its writes, flushed when it has committed. */
  readonly effects: Effects;

  constructor(context: object, effects: Effects) {
    super();
    this.context = context as Context;
    this.parts = partsOf(context);
    this.effects = effects;
  }
}

export interface OpenTransactions {
  open(context: object, effects: Effects): OpenTransaction;
  /** The transaction has been committed or rolled back. */
  forget(transaction: OpenTransaction): void;
  /** The transaction of this context, or of a part of it. */
  find(context: object): OpenTransaction | undefined;
}

export const createOpenTransactions = (
  contextKeys: Pick<ContextKeys, "learn">,
): OpenTransactions => {
  // Several transactions can share a part, such as a client with a session for each of them.
  const byPart = new Map<unknown, Set<OpenTransaction>>();

  return {
    open: (context, effects) => {
      contextKeys.learn(context);
      const transaction = new OpenTransaction(context, effects);
      for (const part of transaction.parts) {
        const sharing = byPart.get(part);
        if (sharing === undefined) byPart.set(part, new Set([transaction]));
        else sharing.add(transaction);
      }
      return transaction;
    },
    forget: (transaction) => {
      for (const part of transaction.parts) {
        const sharing = byPart.get(part);
        if (sharing?.delete(transaction) === true && sharing.size === 0) byPart.delete(part);
      }
    },
    find: (context) => {
      if (byPart.size === 0) return undefined;
      let fewest: ReadonlySet<OpenTransaction> | undefined;
      for (const part of partsOf(context)) {
        const sharing = byPart.get(part);
        if (sharing !== undefined && sharing.size < (fewest?.size ?? Infinity)) fewest = sharing;
      }
      return fewest === undefined ? undefined : onlyMatch(fewest, context as Context);
    },
  };
};

/** Only objects identify a transaction: an unrelated context may have the same name or number. */
const partsOf = (context: object): readonly object[] =>
  Object.values(context).filter(
    (part): part is object =>
      (typeof part === "object" && part !== null) || typeof part === "function",
  );

/**
 * A pooled client may be in the next transaction before the end of the last one is known: the open one is preferred. An
 * ambiguous context matches no transaction.
 */
const onlyMatch = (
  transactions: ReadonlySet<OpenTransaction>,
  context: Context,
): OpenTransaction | undefined => {
  const matching = [...transactions].filter((one) => contradictsNothing(one.context, context));
  const open = matching.filter(({ isEnding }) => !isEnding);
  const candidates = open.length > 0 ? open : matching;
  return candidates.length === 1 ? candidates[0] : undefined;
};

const contradictsNothing = (own: Context, given: Context): boolean =>
  Object.keys(own).every((key) => given[key] === undefined || given[key] === own[key]);

interface Parts {
  readonly state: Pick<AnyStateAdapter, "runInTransaction">;
  readonly effects: Pick<EffectRouter, "create">;
  readonly transactions: OpenTransactions;
  readonly nesting: NestedTransactionGuard;
}

/** Runs the user's callback in a transaction of the store's provider. Resolves after the commit. */
export const runTransaction = async <T>(
  { state, effects: router, transactions, nesting }: Parts,
  callback: (context: object) => Promise<T>,
): Promise<T> => {
  nesting.assertOutside("transaction");
  const effects = router.create();
  let transaction: OpenTransaction | null = null;
  try {
    const result = await state.runInTransaction(async (context) => {
      const opened = transactions.open(context, effects);
      transaction = opened;
      try {
        return await nesting.run(() => callback(context));
      } finally {
        // If one of several concurrent calls fails, the callback ends while the others are pending.
        const left = opened.leave();
        if (left !== null) await left;
      }
    });
    effects.flush();
    return result;
  } catch (error) {
    effects.discard();
    throw error;
  } finally {
    if (transaction !== null) transactions.forget(transaction);
  }
};

/**
 * The context of a call that needs an open transaction. Without one, the write would be stored even if the caller's own
 * data is not.
 */
export const requireTransaction = async (
  { state }: { readonly state: Pick<AnyStateAdapter, "isInTransaction"> },
  context: object | undefined,
  operation: string,
  /** An option that the caller may give instead of a context. */
  alternative?: string,
): Promise<object> => {
  if (context !== undefined && (await state.isInTransaction(context))) return context;
  throw new StateNotInTransactionError(operation, alternative);
};

/**
 * Refuses a write outside the open transaction around it, in a store with one writer. The write and the transaction would
 * wait for each other.
 */
export interface NestedTransactionGuard {
  /** Runs user code that holds a transaction. */
  run<T>(callback: () => Promise<T>): Promise<T>;
  /** Throws if the caller is known to be inside an open transaction. */
  assertOutside(operation: string): void;
}

/**
 * Up to Node 22 async context slows promises down while a transaction is open. A transaction with one start in SQLite takes
 * 130 us, 5 to 10 us of it for this (Node 20). Without it, such a write would keep the only writer for the busy timeout.
 */
export const createNestedTransactionGuard = ({
  concurrentWriters,
}: Pick<StateAdapterCapabilities, "concurrentWriters">): NestedTransactionGuard => {
  if (concurrentWriters) return { run: (callback) => callback(), assertOutside: () => undefined };
  const storage = new ScopedStorage<{ isOpen: boolean }>();
  return {
    run: async (callback) => {
      const transaction = { isOpen: true };
      try {
        return await storage.run(transaction, callback);
      } finally {
        transaction.isOpen = false;
      }
    },
    assertOutside: (operation) => {
      if (storage.get()?.isOpen !== true) return;
      throw new ProcessMisuseError(
        `${operation} was called inside an open transaction, and this store has one writer: ` +
          "spread the context of that transaction into the call.",
      );
    },
  };
};

/**
 * The keys of a state adapter's contexts, such as `client`. Ready-made providers declare them. For another provider, core
 * learns the keys from the first transaction that it runs. A start in a transaction of the user's own may come first. Until
 * then an object is accepted as context, unless its name is close to an option.
 */
export interface ContextKeys {
  /** Whether a key that is not among the options `names` of a method belongs to a context. */
  includes(key: string, value: unknown, names: readonly string[]): boolean;
  /** The keys so far. */
  known(): readonly string[];
  /** A context that the adapter's own `runInTransaction` gave. */
  learn(context: object): void;
}

export const createContextKeys = ({
  contextKeys,
}: Pick<StateAdapterCapabilities, "contextKeys">): ContextKeys => {
  if (contextKeys !== undefined) {
    return {
      includes: (key) => contextKeys.includes(key),
      known: () => contextKeys,
      learn: () => undefined,
    };
  }
  const learned = new Set<string>();
  return {
    includes: (key, value, names) =>
      learned.size > 0 ? learned.has(key) : isObject(value) && nearNames(key, names).length === 0,
    known: () => [...learned],
    learn: (context) => {
      for (const key of Object.keys(context)) learned.add(key);
    },
  };
};

const isObject = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";

// The notifications and events of writes, held until their transaction has committed. A listener then finds the write in the
// store, and nothing is observed that was rolled back.
//
// The router at the end decides which commit they wait for. If `transaction` opened the transaction of the context, that one.
// If the user opened it, the `withNotify` around the call, which async context carries. Otherwise the store is asked.

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
const createEffects = (observer: Observer, notifier: Notifier): Effects => {
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
