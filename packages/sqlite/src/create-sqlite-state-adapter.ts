import {
  assertMethods,
  type ConnectionRetryConfig,
  createJobIdGenerator,
  type StateAdapter,
  wrapStateAdapterWithRetry,
} from "queuert/internal";
import { rememberStore } from "./adapter-store.ts";
import { createDatabase, type Database } from "./database.ts";
import { isTransientSqliteError } from "./driver-errors.ts";
import { SqliteBusyError } from "./errors.ts";
import { assertSqliteSchema, migrateSqliteSchema } from "./migrations/migrate.ts";
import { assertIdType, checkedIds, tableNames, tablePrefixDefault } from "./names.ts";
import { createSqliteOperator } from "./operator/index.ts";
import { acquireJobs } from "./state/acquire-jobs.ts";
import { addBlockers } from "./state/add-blockers.ts";
import { cancelSequences } from "./state/cancel-sequences.ts";
import { completeJobs } from "./state/complete-jobs.ts";
import { createJobs } from "./state/create-jobs.ts";
import { deleteFinishedSequences } from "./state/delete-finished-sequences.ts";
import { deleteSequences } from "./state/delete-sequences.ts";
import { failJobs } from "./state/fail-jobs.ts";
import { getBlockers } from "./state/get-blockers.ts";
import { getJobs } from "./state/get-jobs.ts";
import { getLimitKeys } from "./state/get-limit-keys.ts";
import { getLimits } from "./state/get-limits.ts";
import { getPauses } from "./state/get-pauses.ts";
import { getSequences } from "./state/get-sequences.ts";
import { getStoreId } from "./state/get-store-id.ts";
import { listBlockerEdges } from "./state/list-blocker-edges.ts";
import { listJobs } from "./state/list-jobs.ts";
import { listSequences } from "./state/list-sequences.ts";
import { lockSequences } from "./state/lock-sequences.ts";
import { pause } from "./state/pause.ts";
import { reclaimExpiredLeases } from "./state/reclaim-expired-leases.ts";
import { renewLeases } from "./state/renew-leases.ts";
import { rescheduleJobs } from "./state/reschedule-jobs.ts";
import { resume } from "./state/resume.ts";
import { retryFailedJobs } from "./state/retry-failed-jobs.ts";
import { setLimitKeys } from "./state/set-limit-keys.ts";
import { deleteLimits } from "./state/delete-limits.ts";
import { setLimits } from "./state/set-limits.ts";
import { summarize } from "./state/summarize.ts";
import { deleteScheduleTicks } from "./state/delete-schedule-ticks.ts";
import { deleteSchedules } from "./state/delete-schedules.ts";
import { listScheduleTicks } from "./state/list-schedule-ticks.ts";
import { listSchedules } from "./state/list-schedules.ts";
import { lockSchedules } from "./state/lock-schedules.ts";
import { nextScheduleInMs } from "./state/next-schedule-in-ms.ts";
import { recordTicks } from "./state/record-ticks.ts";
import { takeDueSchedules } from "./state/take-due-schedules.ts";
import { writeSchedules } from "./state/write-schedules.ts";
import { triggerJobs } from "./state/trigger-jobs.ts";
import { updateJobs } from "./state/update-jobs.ts";
import type { SqliteStateProvider } from "./state-provider.ts";

/** Jobs in a SQLite file. */
export type SqliteStateAdapter<
  TTxContext extends object = object,
  TContext extends object = TTxContext,
  TJobId extends string = string,
> = StateAdapter<TTxContext, TContext, TJobId>;

/** The options of `createSqliteStateAdapter`. */
export interface SqliteStateAdapterOptions<
  TTxContext extends object,
  TContext extends object,
  TJobId extends string,
> {
  /** How statements reach the file: `@queuert/sqlite/better-sqlite3`, `/node-sqlite`, or your own. */
  readonly stateProvider: SqliteStateProvider<TTxContext, TContext>;
  /** Prefix of all tables and indexes. Default `"queuert_"`; `""` for none. */
  readonly tablePrefix?: string | undefined;
  /** SQL type of the columns that hold job ids. Default `"TEXT"`. */
  readonly idType?: string | undefined;
  /** Makes the ids of new jobs. Default: UUID version 7. They sort by time, which keeps inserts fast. */
  readonly idGenerator?: (() => TJobId) | undefined;
  /** How often a call is retried after a transient error of the driver. A call that waited for `busyTimeoutMs` is not. Default: 3 retries, after 50 ms, doubling to 5 s. */
  readonly connectionRetryConfig?: ConnectionRetryConfig | undefined;
  /** Which errors are transient. Default: SQLite reports that the file is busy. */
  readonly isTransientError?: ((error: unknown) => boolean) | undefined;
  /** Whether to create the tables, or bring them up to date. Default true. */
  readonly migrate?: boolean | undefined;
}

/** The call has waited for `busyTimeoutMs` already. A retry would wait as long again, often for itself. */
const hasWaited = (error: unknown): boolean => error instanceof SqliteBusyError;

const providerMethods = ["runInTransaction", "provideContext", "isInTransaction", "connectionOf"];

/**
 * Keeps jobs in a SQLite file, beside the application's own tables.
 *
 * @example
 * ```ts
 * const stateProvider = await createBetterSqlite3Provider({ filename: "app.db" });
 * const stateAdapter = await createSqliteStateAdapter({ stateProvider });
 * ```
 *
 * @throws QUEUERT_SQLITE_SCHEMA_TOO_NEW, QUEUERT_SQLITE_SCHEMA_TOO_OLD, QUEUERT_SQLITE_NOT_WRITABLE
 */
export const createSqliteStateAdapter = async <
  TTxContext extends object,
  TContext extends object = TTxContext,
  TJobId extends string = string,
>(
  options: SqliteStateAdapterOptions<TTxContext, TContext, TJobId>,
): Promise<SqliteStateAdapter<TTxContext, TContext, TJobId>> => {
  const { stateProvider, tablePrefix = tablePrefixDefault, idType = "TEXT" } = options;
  const remedy = "give a provider, such as `await createBetterSqlite3Provider(…)` makes";
  assertMethods(stateProvider, "stateProvider", providerMethods, remedy);
  const names = tableNames(tablePrefix);
  assertIdType(idType);
  if (options.migrate === false) await assertSqliteSchema(stateProvider, names);
  else await migrateSqliteSchema({ stateProvider, tablePrefix, idType });

  const { idGenerator } = options;
  const nextId = idGenerator === undefined ? createJobIdGenerator() : checkedIds(idGenerator);
  const adapter = assemble(stateProvider, createDatabase(stateProvider, names, nextId));
  const isTransient = options.isTransientError ?? isTransientSqliteError;
  const retrying = wrapStateAdapterWithRetry<TTxContext, TContext, TJobId, typeof adapter>(
    adapter,
    {
      ...options.connectionRetryConfig,
      isRetryable: (error) => !hasWaited(error) && isTransient(error),
    },
  );
  rememberStore(retrying, { provider: stateProvider as unknown as SqliteStateProvider, names });
  return retrying;
};

const assemble = <TTxContext extends object, TContext extends object>(
  provider: SqliteStateProvider<TTxContext, TContext>,
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string> => ({
  capabilities: {
    concurrentWriters: false,
    renewsLeasesBesideTransactions: false,
    failedStatementAbortsTransaction: false,
    sharedBetweenProcesses: true,
    contextKeys: provider.contextKeys,
  },
  provideContext: (callback) => provider.provideContext(callback),
  runInTransaction: (callback) => provider.runInTransaction(callback),
  isInTransaction: async (context) => provider.isInTransaction(context),
  getStoreId: getStoreId(database),
  createJobs: createJobs(database),
  addBlockers: addBlockers(database),
  acquireJobs: acquireJobs(database),
  renewLeases: renewLeases(database),
  completeJobs: completeJobs(database),
  rescheduleJobs: rescheduleJobs(database),
  failJobs: failJobs(database),
  cancelSequences: cancelSequences(database),
  reclaimExpiredLeases: reclaimExpiredLeases(database),
  retryFailedJobs: retryFailedJobs(database),
  updateJobs: updateJobs(database),
  triggerJobs: triggerJobs(database),
  lockSequences: lockSequences(database),
  deleteSequences: deleteSequences(database),
  deleteFinishedSequences: deleteFinishedSequences(database),
  nextScheduleInMs: nextScheduleInMs(database),
  takeDueSchedules: takeDueSchedules(database),
  lockSchedules: lockSchedules(database),
  writeSchedules: writeSchedules(database),
  deleteSchedules: deleteSchedules(database),
  listSchedules: listSchedules(database),
  recordTicks: recordTicks(database),
  listScheduleTicks: listScheduleTicks(database),
  deleteScheduleTicks: deleteScheduleTicks(database),
  pause: pause(database),
  resume: resume(database),
  getPauses: getPauses(database),
  setLimits: setLimits(database),
  deleteLimits: deleteLimits(database),
  getLimits: getLimits(database),
  limitKeys: { setLimitKeys: setLimitKeys(database), getLimitKeys: getLimitKeys(database) },
  getJobs: getJobs(database),
  getSequences: getSequences(database),
  getBlockers: getBlockers(database),
  listBlockerEdges: listBlockerEdges(database),
  listJobs: listJobs(database),
  listSequences: listSequences(database),
  summarize: summarize(database),
  operator: createSqliteOperator(database),
});
