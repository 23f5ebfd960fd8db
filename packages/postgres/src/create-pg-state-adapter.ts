import {
  type BaseStateAdapterContext,
  type ConnectionRetryConfig,
  createJobIdGenerator,
  hasMethods,
  type StateAdapter,
  wrapStateAdapterWithRetry,
} from "queuert/internal";
import { type AdapterStore, rememberStore } from "./adapter-store.ts";
import { createDatabase, type PgState } from "./database.ts";
import { PgInvalidOptionError } from "./errors.ts";
import { assertIdDefault } from "./id-types.ts";
import { createMigrations, type PgMigrations } from "./migrations/create-migrations.ts";
import { toNamedError, withNamedErrors } from "./named-errors.ts";
import { createPgLimitKeys } from "./state/limit-keys.ts";
import { createPgOperator } from "./operator/index.ts";
import { createLowWaterMarks } from "./state/acquire-jobs/low-water-marks.ts";
import { createPgState } from "./state/index.ts";
import type { PgStateProvider } from "./state-provider.ts";
import { createStoreNames } from "./store-names.ts";
import { transactionMethods } from "./transaction-semaphore.ts";
import { isTransientPgError } from "./transient-error.ts";

/** The options of `createPgStateAdapter`. */
export interface PgStateAdapterOptions<
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
> {
  /** How statements reach the database: `@queuert/postgres/pg`, `/postgres-js`, `/pglite`, or your own. */
  readonly stateProvider: PgStateProvider<TTxContext, TContext>;
  /** The schema of Queuert's tables. Default: `"queuert"`. */
  readonly schema?: string | undefined;
  /** The SQL type of job ids. Default: `"uuid"`. */
  readonly idType?: string | undefined;
  /**
   * An SQL expression that makes a job id, such as `gen_random_uuid()`. Left out: UUIDs of version 7, made by the library.
   * They sort by creation, which keeps inserts at the right edge of the indexes.
   */
  readonly idDefault?: string | undefined;
  /** How statements outside transactions are retried after a transient error. Default: 3 retries, after 50 ms, doubling to 5 s. */
  readonly connectionRetryConfig?: ConnectionRetryConfig | undefined;
  /** Whether trying again can help. Default: lost connections, restarts, deadlocks, serialization failures. */
  readonly isTransientError?: ((error: unknown) => boolean) | undefined;
}

/** The state adapter for PostgreSQL, with the methods that manage its schema. */
export type PgStateAdapter<
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext = TTxContext,
  TJobId extends string = string,
> = StateAdapter<TTxContext, TContext, TJobId> & PgMigrations;

const providerMethods = ["runInTransaction", "provideContext", "isInTransaction", "executeSql"];

/**
 * Keeps jobs in PostgreSQL, 13 or newer. Call `migrateToLatest()` once before use, at deployment or at start.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
 * const stateAdapter = await createPgStateAdapter({
 *   stateProvider: createPgPoolStateProvider(pool),
 * });
 * await stateAdapter.migrateToLatest();
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createPgStateAdapter = async <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext = TTxContext,
  TJobId extends string = string,
>(
  options: PgStateAdapterOptions<TTxContext, TContext>,
): Promise<PgStateAdapter<TTxContext, TContext, TJobId>> => {
  const { stateProvider, schema = "queuert", idType = "uuid", idDefault = null } = options;
  const { connectionRetryConfig, isTransientError = isTransientPgError } = options;
  if (!hasMethods(stateProvider, providerMethods)) {
    const expected = "a provider, such as `createPgPoolStateProvider(pool)` makes";
    throw new PgInvalidOptionError("stateProvider", expected);
  }
  const names = createStoreNames(schema, idType);
  assertIdDefault(idType, idDefault);
  const database = createDatabase<BaseStateAdapterContext, BaseStateAdapterContext>(
    names,
    stateProvider,
    idDefault,
  );
  const transactions = transactionMethods(stateProvider, names);
  const lowWaterMarks = createLowWaterMarks();
  const runInTransaction: PgState["runInTransaction"] = (callback) =>
    transactions.runInTransaction(callback);
  const state: StateAdapter<TTxContext, TContext, TJobId> = {
    capabilities: {
      concurrentWriters: true,
      renewsLeasesBesideTransactions: true,
      failedStatementAbortsTransaction: true,
      sharedBetweenProcesses: true,
      completesAndCommits: stateProvider.executeSqlAndCommit !== undefined,
      connectionsMax: stateProvider.connectionsMax,
      contextKeys: stateProvider.contextKeys,
      ...stateProvider.capabilities,
    },
    ...transactions,
    ...createPgState(database, createJobIdGenerator(), runInTransaction, { lowWaterMarks }),
    limitKeys: createPgLimitKeys(database),
    operator: withNamedErrors(createPgOperator(database), names),
  };
  const adapter: PgStateAdapter<TTxContext, TContext, TJobId> = {
    ...wrapStateAdapterWithRetry<TTxContext, TContext, TJobId, typeof state>(state, {
      ...connectionRetryConfig,
      isRetryable: isTransientError,
      toNamedError: (error) => toNamedError(error, names),
    }),
    ...withNamedErrors(createMigrations(stateProvider, names), names),
  };
  rememberStore(adapter, {
    // The contexts of the provider are opaque to the kit.
    provider: stateProvider as unknown as AdapterStore["provider"],
    names,
    forget: () => lowWaterMarks.forget(),
  });
  return adapter;
};
