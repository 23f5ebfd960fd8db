// The parts that every method of the adapter works with: collections, transactions, ordinals and ids.
import { setTimeout as sleep } from "node:timers/promises";
import { StateNotInTransactionError } from "queuert";
import type {
  LogChunk,
  StoredAction,
  StoredMetric,
  StoredProgress,
  StoredWorker,
} from "queuert/internal";
import { MongoTransactionAbortedError } from "./errors.ts";
import { assertUsable, guardSession, transactionOf } from "./guarded-session.ts";
import type { BatchDocument } from "./batches.ts";
import { withDriverTimeout } from "./driver-timeout.ts";
import type { JobDocument } from "./job-document.ts";
import { createOrdinals, type CounterDocument, type Ordinals } from "./ordinals.ts";
import type { ScheduleDocument, TickDocument } from "./schedule-document.ts";
import type { LimitDocument } from "./limit-document.ts";
import type { LimitKeyDocument } from "./limit-keys/key-document.ts";
import type { PausesDocument } from "./pauses.ts";
import { createReplicaSetReader, createShardedReader, type SequenceReader } from "./sequences.ts";
import type { MongoSession, MongoStateProvider } from "./state-provider.ts";
import {
  createStoreCollection,
  outside,
  within,
  type JobCollection,
  type Scope,
  type StoreCollection,
  type StorePlace,
} from "./store.ts";

/** The sequences proposed for a deduplication key or a given id, in order. */
export interface KeyDocument {
  readonly _id: string;
  readonly proposals: readonly Proposal[];
}

export interface Proposal {
  readonly sequenceId: string;
  readonly markerId: string;
  /** A failed sequence that is retried, and proposed again. */
  readonly isRetry?: boolean;
}

/** The identity of the store, which the names of its notification channels carry. */
export interface StoreDocument {
  readonly _id: string;
  readonly storeId: string;
}

/** A worker. Its id is that of its instance. */
export interface WorkerDocument extends Omit<StoredWorker, "instanceId"> {
  readonly _id: string;
}

/** An action of an operator, by its id. */
export interface ActionDocument extends Omit<StoredAction, "id"> {
  readonly _id: string;
  /** Of the call that began it. */
  readonly stamp: string;
}

/** The counts of a type in a minute or an hour. */
export interface MetricDocument extends StoredMetric {
  readonly _id: string;
  readonly stepMs: number;
}

/** Lines of an attempt, by the attempt and the first line. */
export interface LogDocument extends LogChunk {
  readonly _id: string;
  readonly storedAt: Date;
}

/** How far a job says that it is, by the id of the job. */
export interface ProgressDocument extends Omit<StoredProgress, "at"> {
  readonly _id: string;
  readonly storedAt: Date;
}

export type Intent = "waiting" | "ending";

/** An outcome marker of a transaction, or one of its intents. */
export interface WaitDocument {
  readonly _id: string;
  /** Only in an intent, not in a marker: the sequence, */
  readonly sequenceId?: string;
  /** the marker of the transaction, */
  readonly markerId?: string;
  /** and its plan for the sequence. */
  readonly intent?: Intent;
  /** A TTL index removes markers and intents a day later, long after the longest transaction. */
  readonly at: Date;
}

export interface CollectionNames {
  readonly jobs: string;
  readonly deduplication_keys: string;
  readonly counters: string;
  readonly waits: string;
  readonly workers: string;
  readonly actions: string;
  readonly metrics: string;
  readonly logs: string;
  readonly progress: string;
  readonly schedules: string;
  readonly schedule_ticks: string;
  readonly limits: string;
  readonly limit_keys: string;
}

export const toCollectionNames = (prefix: string): CollectionNames => ({
  jobs: `${prefix}jobs`,
  deduplication_keys: `${prefix}deduplication_keys`,
  counters: `${prefix}counters`,
  waits: `${prefix}waits`,
  workers: `${prefix}workers`,
  actions: `${prefix}actions`,
  metrics: `${prefix}metrics`,
  logs: `${prefix}logs`,
  progress: `${prefix}progress`,
  schedules: `${prefix}schedules`,
  schedule_ticks: `${prefix}schedule_ticks`,
  limits: `${prefix}limits`,
  limit_keys: `${prefix}limit_keys`,
});

/** Runs a repeatable statement again when it has failed with a transient error. */
export type Repeat = <T>(run: () => Promise<T>) => Promise<T>;

export interface Database {
  readonly names: CollectionNames;
  readonly jobs: JobCollection;
  readonly keys: StoreCollection<KeyDocument>;
  readonly waits: StoreCollection<WaitDocument>;
  readonly schedules: StoreCollection<ScheduleDocument>;
  readonly ticks: StoreCollection<TickDocument>;
  /** A document for each limit of a job type. */
  readonly limits: StoreCollection<LimitDocument>;
  /** A document for each key of a limit with jobs that wait or run. */
  readonly limitKeys: StoreCollection<LimitKeyDocument>;
  /** A document for each type that is acquired in batches, beside the counters. */
  readonly batches: StoreCollection<BatchDocument>;
  readonly sequences: SequenceReader;
  readonly ordinals: Ordinals;
  /** One document, beside the counters. */
  readonly stores: StoreCollection<StoreDocument>;
  /** The registry of workers, for operators. */
  readonly workers: StoreCollection<WorkerDocument>;
  /** The actions of operators. */
  readonly actions: StoreCollection<ActionDocument>;
  /** The counts of attempts, for operators. */
  readonly metrics: StoreCollection<MetricDocument>;
  /** The lines that attempts logged. */
  readonly logs: StoreCollection<LogDocument>;
  /** How far jobs say that they are. */
  readonly progress: StoreCollection<ProgressDocument>;
  /** One document, beside the counters. */
  readonly pauses: StoreCollection<PausesDocument>;
  readonly createId: () => string;
  /** Runs a command of the administration. Null: the provider does not reach it. */
  administer(command: object): Promise<object | null>;
  /** Whether the session of a context is in a transaction. Writes with this context then belong to that transaction only. */
  isInTransaction(context: object): boolean;
  /** The scope of a context's reads: its transaction, or `outside`, where the server ends a read after `readMs`. */
  scopeOf(context: object | undefined, readMs?: number): Scope;
  /** The scope of a context's writes. Refuses a session without a transaction. */
  writeScopeOf(context: object | undefined): Scope;
  /**
   * Runs several statements as one: in the context's transaction, or in one of their own, which runs again
   * when the server aborts it. The callback must therefore start from scratch each time.
   */
  transact<T>(context: object | undefined, run: (scope: Scope) => Promise<T>): Promise<T>;
  /** One attempt in a transaction of its own, for callers that skip locked documents. */
  tryTransaction<T>(run: (scope: Scope) => Promise<T>): Promise<T>;
}

// A conflict is over when the other transaction is: after milliseconds, or as long as a user keeps it open.
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
  repeat: Repeat,
): Database => {
  const names = toCollectionNames(prefix);
  // The commit of a transaction over several shards reaches one after the other. A "majority" read could
  // see one half of it: an ended sequence without its output. A snapshot waits for the whole commit.
  const settledRead = isSharded ? "snapshot" : "majority";
  const place = { database: provider.database, settledRead, answerTimeoutMs } as const;
  const tryTransaction: Database["tryTransaction"] = (run) =>
    provider.runInTransaction((context) => run({ session: provider.sessionOf(context) }));

  // Contexts are opaque to core. Those that reach an adapter come from its own provider.
  const sessionOf = (context: object): MongoSession | undefined =>
    provider.sessionOf(context as TTxContext | TContext);
  // The transactions in which contexts were found.
  const foundIn = new WeakMap<object, object>();

  const transactionScope = (session: MongoSession): Scope => {
    assertUsable(session, provider.database);
    return { session: guardSession(session) };
  };
  const scopeOf: Database["scopeOf"] = (context, readMs) => {
    const session = context && sessionOf(context);
    if (session === undefined || !session.inTransaction()) return within(readMs);
    return transactionScope(session);
  };
  const writeScopeOf: Database["writeScopeOf"] = (context) => {
    const session = context && sessionOf(context);
    if (context === undefined || session === undefined) return outside;
    const expected = foundIn.get(context) ?? transactionOf(session);
    if (!session.inTransaction() || transactionOf(session) !== expected) {
      throw new StateNotInTransactionError("A write");
    }
    return transactionScope(session);
  };

  const open = <TDocument extends object>(name: string): StoreCollection<TDocument> =>
    createStoreCollection(place, name);
  const jobs = open<JobDocument>(names.jobs);

  return {
    names,
    jobs,
    keys: open<KeyDocument>(names.deduplication_keys),
    waits: open<WaitDocument>(names.waits),
    schedules: open<ScheduleDocument>(names.schedules),
    ticks: open<TickDocument>(names.schedule_ticks),
    limits: open<LimitDocument>(names.limits),
    limitKeys: open<LimitKeyDocument>(names.limit_keys),
    batches: open<BatchDocument>(names.counters),
    sequences: isSharded ? createShardedReader(jobs) : createReplicaSetReader(jobs),
    ordinals: createOrdinals(open<CounterDocument>(names.counters), repeat),
    stores: open<StoreDocument>(names.counters),
    workers: open<WorkerDocument>(names.workers),
    actions: open<ActionDocument>(names.actions),
    metrics: open<MetricDocument>(names.metrics),
    logs: open<LogDocument>(names.logs),
    progress: open<ProgressDocument>(names.progress),
    pauses: open<PausesDocument>(names.counters),
    createId,
    administer: createAdminister(place),
    isInTransaction: (context) => {
      const session = sessionOf(context);
      // A context of another shape may have a value without this method.
      if (session?.inTransaction?.() !== true) return false;
      foundIn.set(context, transactionOf(session));
      return true;
    },
    scopeOf,
    writeScopeOf,
    tryTransaction,
    transact: (context, run) => {
      const scope = writeScopeOf(context);
      return scope.session === undefined ? untilNotAborted(() => tryTransaction(run)) : run(scope);
    },
  };
};

const createAdminister =
  ({ database, answerTimeoutMs }: StorePlace): Database["administer"] =>
  async (command) => {
    const admin = database.admin?.();
    return admin === undefined
      ? null
      : withDriverTimeout(answerTimeoutMs, () => admin.command(command));
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
