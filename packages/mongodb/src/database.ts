// What every method of the adapter works with: the collections, transactions, ordinals and ids.
import { setTimeout as sleep } from "node:timers/promises";
import { MongoTransactionAbortedError, MongoWriteConcernError } from "./errors.ts";
import type { MongoSession } from "./driver.ts";
import type { JobDocument } from "./job-document.ts";
import type { WaitDocument } from "./marks.ts";
import { createOrdinals, type CounterDocument, type Ordinals } from "./ordinals.ts";
import type { MongoStateProvider } from "./state-provider.ts";
import {
  createStoreCollection,
  outside,
  type JobCollection,
  type Scope,
  type StoreCollection,
} from "./store.ts";

/** The sequences that may stand for a deduplication key, in the order in which they were put forward. */
export interface KeyDocument {
  readonly _id: string;
  readonly entries: readonly KeyEntry[];
}

export interface KeyEntry {
  readonly sequenceId: string;
  readonly markId: string;
  /** A failed sequence that was put forward again. */
  readonly isRetry?: boolean;
}

/** The identity of the store, which the names of its notification channels carry. */
export interface StoreDocument {
  readonly _id: string;
  readonly storeId: string;
}

export interface CollectionNames {
  readonly jobs: string;
  readonly keys: string;
  readonly counters: string;
  readonly waits: string;
}

export const toCollectionNames = (prefix: string): CollectionNames => ({
  jobs: `${prefix}jobs`,
  keys: `${prefix}deduplication_keys`,
  counters: `${prefix}counters`,
  waits: `${prefix}waits`,
});

/** Runs a statement that may be repeated, again when it failed for a passing reason. */
export type Repeat = <T>(run: () => Promise<T>) => Promise<T>;

export interface Database {
  readonly names: CollectionNames;
  readonly jobs: JobCollection;
  readonly keys: StoreCollection<KeyDocument>;
  readonly waits: StoreCollection<WaitDocument>;
  readonly ordinals: Ordinals;
  /** One document, beside the counters. */
  readonly stores: StoreCollection<StoreDocument>;
  readonly createId: () => string;
  /** Behind a router: transactions may span shards. */
  readonly isSharded: boolean;
  /** The scope of a context: its transaction, or none. */
  scopeOf(context: object | undefined): Scope;
  /**
   * Runs several statements as one: in the context's transaction, or in one of their own, which is run again when the
   * server aborts it. So the callback must start from scratch each time.
   */
  transact<T>(context: object | undefined, run: (scope: Scope) => Promise<T>): Promise<T>;
  /** One try in a transaction of its own, for those who rather skip than wait. */
  tryTransaction<T>(run: (scope: Scope) => Promise<T>): Promise<T>;
}

// A conflict is over when the other transaction is: milliseconds, or as long as a user keeps one open.
const conflictRetryTimeoutMs = 60_000;
const conflictRetryDelayMsMax = 100;

interface Place<TTxContext extends object, TContext extends object> {
  readonly provider: MongoStateProvider<TTxContext, TContext>;
  readonly prefix: string;
  readonly isSharded: boolean;
  readonly answerTimeoutMs: number;
}

export const createDatabase = <TTxContext extends object, TContext extends object>(
  { provider, prefix, isSharded, answerTimeoutMs }: Place<TTxContext, TContext>,
  createId: () => string,
): Database => {
  const names = toCollectionNames(prefix);
  const place = { database: provider.database, isSharded, answerTimeoutMs };
  const tryTransaction: Database["tryTransaction"] = (run) =>
    provider.runInTransaction((context) => run({ session: provider.sessionOf(context) }));

  const scopeOf: Database["scopeOf"] = (context) => {
    // Contexts are opaque to core; those that reach an adapter come from its own provider.
    const session = context && provider.sessionOf(context as TTxContext | TContext);
    if (session === undefined || !session.inTransaction()) return outside;
    assertMajority(session);
    return { session };
  };

  const open = <TDocument extends object>(name: string): StoreCollection<TDocument> =>
    createStoreCollection(place, name);

  return {
    names,
    jobs: open<JobDocument>(names.jobs),
    keys: open<KeyDocument>(names.keys),
    waits: open<WaitDocument>(names.waits),
    ordinals: createOrdinals(open<CounterDocument>(names.counters)),
    stores: open<StoreDocument>(names.counters),
    createId,
    isSharded,
    scopeOf,
    tryTransaction,
    transact: (context, run) => {
      const scope = scopeOf(context);
      return scope.session === undefined ? untilNotAborted(() => tryTransaction(run)) : run(scope);
    },
  };
};

const untilNotAborted = async <T>(run: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  for (let delayMs = 1; ; delayMs = Math.min(delayMs * 2, conflictRetryDelayMsMax)) {
    try {
      return await run();
    } catch (error) {
      const aborted = error instanceof MongoTransactionAbortedError;
      const isOver = performance.now() - startedAt > conflictRetryTimeoutMs;
      if (!aborted || isOver) throw error;
      await sleep(delayMs * (0.5 + Math.random()));
    }
  }
};

interface StartedSession extends MongoSession {
  readonly transaction?: {
    readonly options?: { readonly writeConcern?: { readonly w?: unknown } };
  };
}

// Transactions that users start themselves may name a weaker concern than their jobs can bear.
const assertMajority = (session: StartedSession): void => {
  const w = session.transaction?.options?.writeConcern?.w;
  // A number is a majority of some sets and not of others, and of this one not for ever.
  if (typeof w === "number") throw new MongoWriteConcernError();
};
