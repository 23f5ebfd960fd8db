// A store with an adapter whose statements run in one transaction, which the test holds open. Acquiring, renewing and
// reclaiming commit at once, so only such an adapter can be stopped between their writes and their commit.
import pg from "pg";
import type { AnyStateAdapter, StateJob } from "queuert/internal";
import { aJob } from "queuert/testing";
import { createPgStateAdapter } from "../../src/index.ts";
import { createPgPoolStateProvider } from "../../src/providers/pg.ts";
import type { PgRow } from "../../src/state-provider.ts";

export interface HeldTransaction {
  readonly adapter: AnyStateAdapter;
  query(sql: string, params?: readonly unknown[]): Promise<readonly PgRow[]>;
  end(how: "COMMIT" | "ROLLBACK"): Promise<void>;
}

const connectionRetryConfig = { maxRetries: 0 };

export const openStore = async (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const provider = createPgPoolStateProvider(pool);
  const open = () => createPgStateAdapter({ stateProvider: provider, connectionRetryConfig });
  const pgAdapter = await open();
  await pgAdapter.migrateToLatest();
  const adapter: AnyStateAdapter = pgAdapter;
  const query = async (sql: string, params: readonly unknown[] = []): Promise<readonly PgRow[]> =>
    (await pool.query<PgRow>(sql, [...params])).rows;

  const hold = async (): Promise<HeldTransaction> => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const queryHeld: HeldTransaction["query"] = async (sql, params = []) =>
      (await client.query<PgRow>(sql, [...params])).rows;
    return {
      adapter: await createPgStateAdapter({
        stateProvider: { ...provider, executeSql: ({ sql, params }) => queryHeld(sql, params) },
        connectionRetryConfig,
      }),
      query: queryHeld,
      end: async (how) => {
        await client.query(how);
        client.release();
      },
    };
  };

  /** Until so many statements wait for a lock. */
  const untilWaiting = async (count: number): Promise<void> => {
    for (;;) {
      const rows = await query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      if (rows.length >= count) return;
    }
  };

  return {
    adapter,
    /** Another adapter, as of a process that has just started. */
    open: async (): Promise<AnyStateAdapter> => open(),
    query,
    hold,
    untilWaiting,
    checkSchema: () => pgAdapter.checkSchema(),
    strays: () => query("SELECT * FROM queuert.stray_jobs(5)"),
    close: () => pool.end(),
  };
};

export type Store = Awaited<ReturnType<typeof openStore>>;

// The calls of the races, with one job.

export const start = async (
  adapter: AnyStateAdapter,
  overrides: Parameters<typeof aJob>[0] = {},
): Promise<StateJob> => {
  const [created] = await adapter.createJobs({ jobs: [aJob(overrides)] });
  if (created === undefined) throw new Error("nothing was created");
  return created.job;
};

/** The ids of the acquired jobs. */
export const acquire = async (
  adapter: AnyStateAdapter,
  leaseMs = 60_000,
  workerId = "w",
): Promise<readonly string[]> => {
  const types = [{ typeName: "task", leaseMs, limit: 10 }];
  const { jobs } = await adapter.acquireJobs({ workerId, limit: 10, types });
  return jobs.map(({ job }) => job.id);
};

export const reclaim = async (adapter: AnyStateAdapter): Promise<readonly string[]> =>
  (await adapter.reclaimExpiredLeases({ limit: 10 })).map(({ id }) => id);

export const renew = (adapter: AnyStateAdapter, jobId: string, leaseVersion = 1) =>
  adapter.renewLeases({ leases: [{ jobId, leaseVersion, leaseMs: 60_000 }] });

export const complete = async (
  adapter: AnyStateAdapter,
  jobId: string,
  leaseVersion: number | null = 1,
) => {
  const outcome = { kind: "output", output: "1" } as const;
  const workerId = leaseVersion === null ? null : "w";
  const completions = [{ jobId, leaseVersion, outcome }];
  return (await adapter.completeJobs({ workerId, completions })).results[0];
};

export const reschedule = async (adapter: AnyStateAdapter, jobId: string, leaseVersion = 1) => {
  const again = { schedule: null, countsAttempt: true, error: "again" };
  return (await adapter.rescheduleJobs({ jobs: [{ jobId, leaseVersion, ...again }] }))[0];
};

export const fail = async (adapter: AnyStateAdapter, jobId: string, leaseVersion = 1) =>
  (await adapter.failJobs({ jobs: [{ jobId, leaseVersion, error: "no" }] })).results[0];

export const remove = (adapter: AnyStateAdapter, context: object, id: string) =>
  adapter.deleteSequences({ context, rootSequenceIds: [id] });

export const look = async (adapter: AnyStateAdapter, id: string): Promise<StateJob | undefined> =>
  (await adapter.getJobs({ ids: [id] }))[0];
