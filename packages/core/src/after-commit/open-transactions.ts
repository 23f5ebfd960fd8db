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
import type { EffectRouter, Effects } from "./effects.ts";

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
