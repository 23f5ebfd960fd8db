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
import { rememberStore } from "./adapter-store.ts";
import { createDatabase, type Repeat } from "./database.ts";
import { assertDeployment } from "./deployment.ts";
import { isTransientMongoError, isUnauthorized, isUnreachable } from "./driver-errors.ts";
import { MongoNotMigratedError } from "./errors.ts";
import { toConnectionError } from "./named-errors.ts";
import { defaultAnswerTimeoutMs } from "./driver-timeout.ts";
import {
  assertWritable,
  findMissing,
  type MigrateOptions,
  type MigrationReport,
  migrateToLatest,
  type Target,
} from "./migrations/migrate.ts";
import { createMongoOperator } from "./operator/index.ts";
import { createMongoLimitKeys, createMongoState } from "./state/index.ts";
import type { MongoStateProvider } from "./state-provider.ts";

/** The options of `createMongoStateAdapter`. */
export interface MongoStateAdapterOptions<
  TTxContext extends object,
  TContext extends object,
  TJobId extends string,
> {
  /** How commands reach the database: `@queuert/mongodb/mongodb`, or your own. */
  readonly stateProvider: MongoStateProvider<TTxContext, TContext>;
  /** The beginning of the names of all collections. Default: `"queuert_"`. */
  readonly collectionPrefix?: string | undefined;
  /** Makes the ids of new jobs, which must never repeat. Default: UUID version 7, which sort by time. */
  readonly idGenerator?: (() => TJobId) | undefined;
  /** How often, and after which delays, a statement is repeated when the connection or primary is lost. Default: 3 retries, after 50 ms, doubling to 5 s. */
  readonly connectionRetryConfig?: ConnectionRetryConfig | undefined;
  /**
   * A statement that has not settled after this time counts as a lost connection. Default: 60,000. The driver
   * can wait for ever on a closed socket.
   */
  readonly answerTimeoutMs?: number | undefined;
  /** Which errors are transient. Default: lost connections, failovers and conflicts. */
  readonly isTransientError?: ((error: unknown) => boolean) | undefined;
}

/** The state adapter of MongoDB, with its migrations. */
export interface MongoStateAdapter<
  TTxContext extends object,
  TContext extends object,
  TJobId extends string = string,
> extends StateAdapter<TTxContext, TContext, TJobId> {
  /** Creates missing collections and indexes. Any number of processes may call it, at once and again. */
  migrateToLatest(options?: MigrateOptions): Promise<MigrationReport>;
}

// The beginnings of a collection's name that the server accepts.
const assertPrefix = (prefix: unknown): void => {
  assertName(prefix, "collectionPrefix", 100);
  if (/^\s+$|\$|^\.|^system\./u.test(prefix)) {
    const remedy = 'leave out "$"; do not begin with "." or "system.", or leave it blank';
    throw new InvalidOptionError("collectionPrefix", prefix, remedy);
  }
};

const idLengthMax = 1_000;

/** Validates each id from the user's generator: the driver stores any value, and finds only equal ones. */
const checkedIds = (idGenerator: () => string) => (): string => {
  const id: unknown = idGenerator();
  assertName(id, "idGenerator", idLengthMax);
  return id;
};

const capabilities = {
  concurrentWriters: true,
  // Snapshot isolation: the holder's transaction would conflict with the renewal, and lose.
  renewsLeasesBesideTransactions: false,
  failedStatementAbortsTransaction: true,
  sharedBetweenProcesses: true,
} as const;

const providerMethods = ["runInTransaction", "provideContext", "sessionOf"];

/**
 * Keeps jobs in MongoDB. Refuses a server without transactions. Call `migrateToLatest` once per deployment.
 *
 * @example
 * ```ts
 * const client = new MongoClient("mongodb://localhost:27017/app?replicaSet=rs0");
 * const stateAdapter = await createMongoStateAdapter({
 *   stateProvider: createMongodbProvider({ client }),
 * });
 * await stateAdapter.migrateToLatest();
 * ```
 */
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
  const { isSharded } = await withRetry(() => assertDeployment(database, answerTimeoutMs), {
    ...retry,
    isRetryable: (error) => !isUnreachable(error) && isTransientError(error),
  }).catch((error: unknown) => {
    throw toConnectionError(error);
  });
  const repeat: Repeat = (run) => withRetry(run, retry);
  const db = createDatabase(
    { provider: stateProvider, prefix: collectionPrefix, isSharded, answerTimeoutMs },
    idGenerator === undefined ? createJobIdGenerator() : checkedIds(idGenerator),
    repeat,
  );
  const target = { database, names: db.names, answerTimeoutMs };
  const migrated = createMigrationCheck(target, repeat);
  const { createJobs, acquireJobs, failJobs, ...methods } = createMongoState(db, repeat);
  const adapter: StateAdapter<TTxContext, TContext, TJobId> = {
    capabilities: { ...capabilities, contextKeys: stateProvider.contextKeys },
    provideContext: (callback) => stateProvider.provideContext(callback),
    runInTransaction: (callback) => stateProvider.runInTransaction(callback),
    isInTransaction: async (context) => db.isInTransaction(context),
    createJobs: async (params) => {
      await migrated();
      return createJobs(params);
    },
    acquireJobs: async (params) => {
      await migrated();
      return acquireJobs(params);
    },
    failJobs,
    ...methods,
    limitKeys: createMongoLimitKeys(db),
    operator: createMongoOperator(db),
  };
  const complete: MongoStateAdapter<TTxContext, TContext, TJobId> = {
    ...wrapStateAdapterWithRetry<
      TTxContext,
      TContext,
      TJobId,
      StateAdapter<TTxContext, TContext, TJobId>
    >(adapter, retry),
    // These repeat by themselves, with the ids and stamps of the first attempt.
    createJobs: adapter.createJobs,
    failJobs,
    migrateToLatest: (migrateOptions) => repeat(() => migrateToLatest(target, migrateOptions)),
  };
  rememberStore(complete, {
    // The contexts of the provider are opaque to the kit.
    provider: stateProvider as unknown as MongoStateProvider,
    names: db.names,
  });
  return complete;
};

/**
 * Whether the store is migrated and writable, checked before the first start and the first acquisition. Otherwise the server
 * would create missing collections by itself, and every acquisition would read all jobs. A worker whose user may only read
 * would be idle until the first job is due. Rejects until nothing is missing. After that it queries no more.
 */
const createMigrationCheck = (target: Target, repeat: Repeat): (() => Promise<void>) => {
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const missing = await repeat(() => findMissing(target));
      if (missing.length > 0) throw new MongoNotMigratedError(missing);
    } catch (error) {
      // A user without the right to list indexes is trusted.
      if (!isUnauthorized(error)) throw toConnectionError(error);
    }
    await repeat(() => assertWritable(target));
  };

  return () => {
    checking ??= check().catch((error: unknown) => {
      checking = undefined;
      throw error;
    });
    return checking;
  };
};
