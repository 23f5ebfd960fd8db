import {
  assertMethods,
  assertName,
  assertPositiveMs,
  type ConnectionRetryConfig,
  createJobIdGenerator,
  InvalidOptionError,
  type StateAdapter,
  withRetry,
  wrapStateAdapterWithRetry,
} from "queuert/internal";
import { defaultAnswerTimeoutMs } from "./answered.ts";
import { assertTransactional } from "./assert-transactional.ts";
import { createDatabase, type Database, type Repeat } from "./database.ts";
import { isTransientMongoError } from "./driver-errors.ts";
import { createMigrationCheck } from "./migration-check.ts";
import { type MigrateOptions, type MigrationReport, migrateToLatest } from "./migrate-to-latest.ts";
import { isUnreachable, toUnreachable } from "./named-errors.ts";
import { createAcquireJobs } from "./state/acquire-jobs.ts";
import { createAddBlockers } from "./state/add-blockers.ts";
import { createCompleteJobs } from "./state/complete-jobs.ts";
import { createCreateJobs } from "./state/create-jobs.ts";
import { createDeleteFinishedSequences } from "./state/delete-finished-sequences.ts";
import { createDeleteSequences } from "./state/delete-sequences.ts";
import { createFailJobs } from "./state/fail-jobs.ts";
import { createGetBlockers } from "./state/get-blockers.ts";
import { createGetJobs } from "./state/get-jobs.ts";
import { createGetSequences } from "./state/get-sequences.ts";
import { createGetStoreId } from "./state/get-store-id.ts";
import { createListBlockerEdges } from "./state/list-blocker-edges.ts";
import { createListJobs } from "./state/list-jobs.ts";
import { createListSequences } from "./state/list-sequences.ts";
import { createLockSequences } from "./state/lock-sequences.ts";
import { createReclaimExpiredLeases } from "./state/reclaim-expired-leases.ts";
import { createRenewLeases } from "./state/renew-leases.ts";
import { createRescheduleJobs } from "./state/reschedule-jobs.ts";
import { createRetryFailedJobs } from "./state/retry-failed-jobs.ts";
import { createSummarize } from "./state/summarize.ts";
import { createTriggerJobs } from "./state/trigger-jobs.ts";
import type { MongoStateProvider } from "./state-provider.ts";

export interface MongoStateAdapterOptions<
  TTxContext extends object,
  TContext extends object,
  TJobId extends string,
> {
  readonly stateProvider: MongoStateProvider<TTxContext, TContext>;
  /** What the names of the collections begin with; `"queuert_"` if left out. */
  readonly collectionPrefix?: string | undefined;
  /** Left out: UUIDs that sort by time. */
  readonly idGenerator?: (() => TJobId) | undefined;
  /** How often and how patiently a statement is repeated when the connection or the primary is lost. */
  readonly connectionRetryConfig?: ConnectionRetryConfig | undefined;
  /**
   * After how long without an answer a statement has lost its connection; 60,000 if left out. The driver can wait for ever for
   * a socket that has been closed.
   */
  readonly answerTimeoutMs?: number | undefined;
  /** Which errors pass; left out: lost connections, failovers and conflicts. */
  readonly isTransientError?: ((error: unknown) => boolean) | undefined;
}

export interface MongoStateAdapter<
  TTxContext extends object,
  TContext extends object,
  TJobId extends string = string,
> extends StateAdapter<TTxContext, TContext, TJobId> {
  /** Creates what collections and indexes are missing; safe to call by many processes at once, and again. */
  migrateToLatest(options?: MigrateOptions): Promise<MigrationReport>;
}

// What the server takes as the beginning of a collection's name.
const assertPrefix = (prefix: unknown): void => {
  assertName(prefix, "collectionPrefix", 100);
  if (/^\s+$|\$|^\.|^system\./u.test(prefix)) {
    const remedy = 'leave out "$", and let it not be blank or begin with "." or "system."';
    throw new InvalidOptionError("collectionPrefix", prefix, remedy);
  }
};

const idLengthMax = 1_000;

/** A generator of the user's, each id of which is looked at: the driver stores anything, and finds it by nothing else. */
const checkedIds = (idGenerator: () => string) => (): string => {
  const id: unknown = idGenerator();
  assertName(id, "idGenerator", idLengthMax);
  return id;
};

const providerMethods = ["runInTransaction", "provideContext", "sessionOf"];

/** Keeps jobs in MongoDB. Refuses a server without transactions. Call `migrateToLatest` once per deployment. */
export const createMongoStateAdapter = async <
  TTxContext extends object,
  TContext extends object,
  TJobId extends string = string,
>(
  options: MongoStateAdapterOptions<TTxContext, TContext, TJobId>,
): Promise<MongoStateAdapter<TTxContext, TContext, TJobId>> => {
  const { stateProvider, collectionPrefix = "queuert_", connectionRetryConfig } = options;
  const { idGenerator, isTransientError = isTransientMongoError } = options;
  const remedy = "give a provider, such as `createMongodbProvider({ client })` makes";
  assertMethods(stateProvider, "stateProvider", providerMethods, remedy);
  const { answerTimeoutMs = defaultAnswerTimeoutMs } = options;
  assertPositiveMs(answerTimeoutMs, "answerTimeoutMs");
  assertPrefix(collectionPrefix);
  const retry = { ...connectionRetryConfig, isRetryable: isTransientError };
  const { database } = stateProvider;
  const { isSharded } = await withRetry(() => assertTransactional(database, answerTimeoutMs), {
    ...retry,
    isRetryable: (error) => !isUnreachable(error) && isTransientError(error),
  }).catch((error: unknown) => {
    throw toUnreachable(error);
  });
  const db = createDatabase(
    { provider: stateProvider, prefix: collectionPrefix, isSharded, answerTimeoutMs },
    idGenerator === undefined ? createJobIdGenerator() : checkedIds(idGenerator),
  );
  const target = { database, names: db.names, answerTimeoutMs };
  const repeat: Repeat = (run) => withRetry(run, retry);
  const migrated = createMigrationCheck(target, repeat);
  const { createJobs, acquireJobs, ...methods } = createMethods(db, repeat);
  const adapter: StateAdapter<TTxContext, TContext, TJobId> = {
    capabilities: {
      concurrentWriters: true,
      // Snapshot isolation: the holder's transaction would conflict with the renewal, and lose.
      renewsLeasesBesideTransactions: false,
      failedStatementAbortsTransaction: true,
      sharedBetweenProcesses: true,
      contextKeys: stateProvider.contextKeys,
    },
    provideContext: (callback) => stateProvider.provideContext(callback),
    runInTransaction: (callback) => stateProvider.runInTransaction(callback),
    isInTransaction: (context) =>
      Promise.resolve(stateProvider.sessionOf(context)?.inTransaction?.() ?? false),
    createJobs: async (params) => {
      await migrated();
      return createJobs(params);
    },
    acquireJobs: async (params) => {
      await migrated();
      return acquireJobs(params);
    },
    ...methods,
  };
  return {
    ...wrapStateAdapterWithRetry<
      TTxContext,
      TContext,
      TJobId,
      StateAdapter<TTxContext, TContext, TJobId>
    >(adapter, retry),
    // Repeats by itself, with the ids of its first try.
    createJobs: adapter.createJobs,
    migrateToLatest: (migrateOptions) => repeat(() => migrateToLatest(target, migrateOptions)),
  };
};

type Methods = Omit<
  StateAdapter<object, object, string>,
  "capabilities" | "provideContext" | "runInTransaction" | "isInTransaction"
>;

/** The contract's methods, in its order; one file each. */
const createMethods = (db: Database, repeat: Repeat): Methods => ({
  getStoreId: createGetStoreId(db),
  createJobs: createCreateJobs(db, repeat),
  addBlockers: createAddBlockers(db),
  acquireJobs: createAcquireJobs(db, repeat),
  renewLeases: createRenewLeases(db),
  completeJobs: createCompleteJobs(db, repeat),
  rescheduleJobs: createRescheduleJobs(db),
  failJobs: createFailJobs(db),
  reclaimExpiredLeases: createReclaimExpiredLeases(db),
  retryFailedJobs: createRetryFailedJobs(db),
  triggerJobs: createTriggerJobs(db),
  lockSequences: createLockSequences(db),
  deleteSequences: createDeleteSequences(db),
  deleteFinishedSequences: createDeleteFinishedSequences(db),
  getJobs: createGetJobs(db),
  getSequences: createGetSequences(db),
  getBlockers: createGetBlockers(db),
  listBlockerEdges: createListBlockerEdges(db),
  listJobs: createListJobs(db),
  listSequences: createListSequences(db),
  summarize: createSummarize(db),
});
