// Large calls in a store that was analysed when it was empty. PostgreSQL then expects one row in each table, and a join that
// it plans so reads all ready rows again for each job. The rows that a call reads are counted, not the time.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { anEntryJob } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const count = 1_000;
// The most that one of the calls below needs is 15. A join of all rows with all needs 1,000.
const rowsReadMax = 20;

const readSql = `
  SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int AS count
  FROM pg_stat_xact_user_tables WHERE schemaname = 'queuert'`;

interface Given {
  readonly state: AnyStateAdapter;
  readonly context: object;
  readonly ids: readonly string[];
}

const types = [{ typeName: "every", leaseMs: 60_000, limit: count }];

const acquire = async ({ state }: Given): Promise<{ jobId: string; leaseVersion: number }[]> => {
  const { jobs } = await state.acquireJobs({ workerId: "w", limit: count, types });
  expect(jobs).toHaveLength(count);
  return jobs.map(({ job }) => ({ jobId: job.id, leaseVersion: job.leaseVersion }));
};

const unchanged = { input: null, schedule: null, dueWithinMs: null };

/** Prepares the call, and returns it. */
const calls: Readonly<Record<string, (given: Given) => Promise<() => Promise<unknown>>>> = {
  triggerJobs:
    async ({ state, ...given }) =>
    () =>
      state.triggerJobs(given),
  updateJobs:
    async ({ state, context, ids }) =>
    () =>
      state.updateJobs({ context, jobs: ids.map((id) => ({ id, priority: 3, ...unchanged })) }),
  lockSequences:
    async ({ state, ...given }) =>
    () =>
      state.lockSequences(given),
  cancelSequences:
    async ({ state, context, ids }) =>
    () =>
      state.cancelSequences({
        context,
        sequences: ids.map((id) => ({ id, lease: null })),
        tree: true,
        dependants: "refuse",
        reason: null,
      }),
  deleteSequences:
    async ({ state, context, ids }) =>
    () =>
      state.deleteSequences({ context, rootSequenceIds: ids }),
  failJobs: async (given) => {
    const leases = await acquire(given);
    const { state, context } = given;
    return () => state.failJobs({ context, jobs: leases.map((one) => ({ ...one, error: "no" })) });
  },
  completeJobs: async (given) => {
    const leases = await acquire(given);
    const { state, context } = given;
    const outcome = { kind: "output", output: "1" } as const;
    const completions = leases.map((one) => ({ ...one, outcome }));
    return () => state.completeJobs({ context, workerId: "w", completions });
  },
  rescheduleJobs: async (given) => {
    const leases = await acquire(given);
    const { state, context } = given;
    const again = { schedule: { afterMs: 1 }, countsAttempt: true, error: "again" };
    return () =>
      state.rescheduleJobs({ context, jobs: leases.map((one) => ({ ...one, ...again })) });
  },
};

describe.each(servers)("%s", (_, databases) => {
  it.each(Object.entries(calls))("%s reads few rows for each job", async (_title, prepare) => {
    const database = await databases().createDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 4 });
    const stateProvider = createPgPoolStateProvider(pool);
    const adapter = await createPgStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    const state: AnyStateAdapter = adapter;
    const jobs = Array.from({ length: count }, () => anEntryJob());
    await state.createJobs({ jobs });
    await pool.query("DELETE FROM queuert.ready");
    await pool.query("DELETE FROM queuert.job");
    await pool.query("ANALYZE queuert.ready; ANALYZE queuert.job");
    const ids = (await state.createJobs({ jobs })).map(({ job }) => job.id);
    const rowsRead = await stateProvider.runInTransaction(async (context) => {
      const call = await prepare({ state, context, ids });
      const read = async (): Promise<number> => {
        const rows = await stateProvider.executeSql({ sql: readSql, params: [] }, context);
        return Number((rows as { count: number }[])[0]?.count);
      };
      const before = await read();
      await call();
      return (await read()) - before;
    });
    expect(rowsRead).toBeGreaterThanOrEqual(count);
    expect(rowsRead / count).toBeLessThan(rowsReadMax);
    await pool.end();
  });
});
