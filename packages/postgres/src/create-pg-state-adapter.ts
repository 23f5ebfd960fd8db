import {
  type BaseStateAdapterContext,
  type ConnectionRetryConfig,
  createJobIdGenerator,
  hasMethods,
  type StateAdapter,
  wrapStateAdapterWithRetry,
} from "queuert/internal";
import { createDatabase, type PgState } from "./database.ts";
import { PgInvalidOptionError } from "./errors.ts";
import { assertIdDefault } from "./id-types.ts";
import { createMigrations, type PgMigrations } from "./migrations/create-migrations.ts";
import { toNamedError, withNamedErrors } from "./named-errors.ts";
import { createPgOperator } from "./operator/index.ts";
import { createPgState } from "./state/index.ts";
import type { PgStateProvider } from "./state-provider.ts";
import { createStoreNames, type StoreNames } from "./store-names.ts";
import { createTransactionSemaphore, transactionsMax } from "./transaction-semaphore.ts";
import { isTransientPgError } from "./transient-error.ts";

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
    ...createPgState(database, createJobIdGenerator(), runInTransaction),
    operator: withNamedErrors(createPgOperator(database), names),
  };
  return {
    ...wrapStateAdapterWithRetry<TTxContext, TContext, TJobId, typeof state>(state, {
      ...connectionRetryConfig,
      isRetryable: isTransientError,
      toNamedError: (error) => toNamedError(error, names),
    }),
    ...withNamedErrors(createMigrations(stateProvider, names), names),
  };
};

/** Methods that run the user's code. An error of that code passes unchanged. */
const transactionMethods = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
>(
  provider: PgStateProvider<TTxContext, TContext>,
  names: StoreNames,
): Pick<
  StateAdapter<TTxContext, TContext, string>,
  "runInTransaction" | "provideContext" | "isInTransaction"
> => {
  const withPermit = createTransactionSemaphore(transactionsMax(provider.connectionsMax));
  return {
    runInTransaction: (callback) =>
      withPermit(async () => {
        let begun = false;
        try {
          return await provider.runInTransaction((context) => {
            begun = true;
            return callback(context);
          });
        } catch (error) {
          throw begun ? error : toNamedError(error, names);
        }
      }),
    provideContext: (callback) => provider.provideContext(callback),
    isInTransaction: (context) => provider.isInTransaction(context),
  };
};
