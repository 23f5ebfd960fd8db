import type { BaseStateAdapterContext } from "queuert/internal";
import { extendWithState, type StateAdapterHarness, type StateTestContext } from "queuert/testing";
import type { TestAPI } from "vitest";
import { codeOf as sqlCodeOf } from "../named-errors.ts";
import { createPgStateAdapter } from "../create-pg-state-adapter.ts";
import type { PgStateAdapterOptions } from "../create-pg-state-adapter.ts";
import type { PgStateProvider } from "../state-provider.ts";

/** A provider of any kind on connections of its own. */
export interface TestConnection {
  readonly provider: PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>;
  /** As in the harness: begins a transaction with the driver alone. */
  readonly beginUsersTransaction?: StateAdapterHarness["beginUsersTransaction"];
  readonly close: () => Promise<void>;
}

export interface StatePostgresOptions {
  /** Opens connections to the same database each time it is called. Its schema `queuert` is emptied at will. */
  readonly connect: () => Promise<TestConnection>;
  readonly adapter?: Partial<PgStateAdapterOptions<object, object>> | undefined;
}

const conflictStates = new Set(["40001"]);
const undefinedTable = "42P01";

/** Opens a store with two adapters, each with connections of its own. */
export const openStatePostgres = async ({
  connect,
  adapter,
}: StatePostgresOptions): Promise<StateAdapterHarness> => {
  const [first, second] = [await connect(), await connect()];
  const stateAdapter = await createPgStateAdapter({ ...adapter, stateProvider: first.provider });
  const secondStateAdapter = await createPgStateAdapter({
    ...adapter,
    stateProvider: second.provider,
  });
  await stateAdapter.migrateToLatest();
  const run = (sql: string, context?: object): Promise<unknown> =>
    first.provider.executeSql({ sql, params: [] }, context);
  return {
    stateAdapter,
    secondStateAdapter,
    isTransactionConflict: (error) => conflictStates.has(codeOf(error)),
    poisonTransaction: async (context) => {
      try {
        await run("SELECT * FROM no_such_table", context);
      } catch (error) {
        if (codeOf(error) !== undefinedTable) throw error;
      }
    },
    beginUsersTransaction: first.beginUsersTransaction,
    // A store with one connection cannot be asked while it waits.
    ...(stateAdapter.capabilities.concurrentWriters && {
      hasWaiting: async () => ((await run(waitingSql)) as readonly object[]).length > 0,
    }),
    clear: async () => {
      await assertNoStrayJobs(run);
      await run(clearSql);
    },
    close: async () => {
      await assertNoStrayJobs(run);
      await Promise.all([first.close(), second.close()]);
    },
  };
};

const waitingSql = `SELECT pid FROM pg_catalog.pg_stat_activity
  WHERE datname = pg_catalog.current_database() AND wait_event_type = 'Lock' LIMIT 1`;

const tables = [
  "job",
  "ready",
  "lease",
  "job_blocker",
  "deduplication",
  "job_attempt",
  "job_log",
  "job_progress",
  "metric",
  "worker",
  "action",
  "schedule",
  "schedule_tick",
  "pause",
  "job_limit",
  "limit_key",
  "turn",
].map((table) => `queuert.${table}`);

/** One statement, for which foreign keys are checked at its end. A few rows go much faster than TRUNCATE makes new files. */
export const clearSql: string = `WITH ${tables.map((table, index) => `t${index} AS (DELETE FROM ${table})`).join(", ")} SELECT 1`;

/** Each open job has either a ready row or a lease: a test that broke this fails the next one. */
const assertNoStrayJobs = async (run: (sql: string) => Promise<unknown>): Promise<void> => {
  const rows = (await run("SELECT * FROM queuert.stray_jobs(5)")) as readonly object[];
  if (rows.length > 0) throw new Error(`stray jobs: ${JSON.stringify(rows)}`);
};

/** ORMs wrap the driver's error. */
const codeOf = (error: unknown): string =>
  (error instanceof Error ? sqlCodeOf(error) : undefined) ?? String(error);

/** Tests on PostgreSQL: one store for each file, emptied before each test. */
export const extendWithStatePostgres = <TContext extends object>(
  it: TestAPI<TContext>,
  options: StatePostgresOptions,
): TestAPI<TContext & StateTestContext> => extendWithState(it, () => openStatePostgres(options));
