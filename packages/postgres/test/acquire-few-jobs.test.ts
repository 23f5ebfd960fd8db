// The shorter routine to acquire returns the same as the longer one, and sees changes between its two statements.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob, chooseSeed, oneOf, seededRandom } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { acquiringAtLength, servers } from "./fixtures.ts";

const openStore = async (pool: pg.Pool, atLength = false): Promise<AnyStateAdapter> => {
  const provider = createPgPoolStateProvider(pool);
  const stateProvider = atLength ? acquiringAtLength(provider) : provider;
  const adapter = await createPgStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  return adapter;
};

describe.each(servers)("%s", (_server, databases) => {
  let url: string;
  let pool: pg.Pool;
  let state: AnyStateAdapter;

  beforeEach(async () => {
    ({ url } = await databases().createDatabase());
    pool = new pg.Pool({ connectionString: url, max: 10 });
    state = await openStore(pool);
  });
  afterEach(() => pool.end());

  const acquire = (store: AnyStateAdapter) =>
    store.acquireJobs({
      workerId: "w",
      limit: 5,
      types: [{ typeName: "task", leaseMs: 60_000, limit: 5 }],
    });

  describe("what happens between the look and the update", () => {
    let slowPool: pg.Pool;
    let slow: AnyStateAdapter;

    // The routine measures its first statement by `date_part` of an interval. A copy of the routine waits there.
    beforeEach(async () => {
      await pool.query(`CREATE SCHEMA hold;
        CREATE FUNCTION hold.date_part(text, interval) RETURNS float8 LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(1);
          RETURN pg_catalog.date_part($1, $2);
        END $$`);
      const { rows } = await pool.query<{ sql: string }>(
        "SELECT pg_get_functiondef('queuert.acquire_few_jobs'::regproc) AS sql",
      );
      const copy = rows[0]?.sql
        .replace("queuert.acquire_few_jobs(", "hold.acquire_few_jobs(")
        .replace(/SET search_path .*/, "SET search_path TO hold, pg_catalog");
      await pool.query(copy ?? "");
      slowPool = new pg.Pool({ connectionString: url, max: 2 });
      const provider = createPgPoolStateProvider(slowPool);
      slow = await createPgStateAdapter({
        stateProvider: {
          ...provider,
          executeSql: (statement, context) =>
            provider.executeSql(
              {
                ...statement,
                sql: statement.sql.replace('"queuert".acquire_few_jobs(', "hold.acquire_few_jobs("),
              },
              context,
            ),
        },
      });
    });
    afterEach(() => slowPool.end());

    /** Acquires; `change` comes after its look and before its update. */
    const acquireAround = async (change: () => Promise<unknown>) => {
      const holder = await pool.connect();
      await holder.query("SELECT pg_advisory_lock(1)");
      const acquired = acquire(slow);
      acquired.catch(() => undefined); // Awaited below.
      for (let waiting = 0; waiting === 0;) {
        const { rows } = await pool.query<{ count: number }>(
          "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'",
        );
        waiting = rows[0]?.count ?? 0;
      }
      await change();
      await holder.query("SELECT pg_advisory_unlock(1)");
      holder.release();
      return acquired;
    };

    it("a job that somebody else has acquired is his", async () => {
      await state.createJobs({ jobs: [aJob(), aJob()] });
      let others = 0;
      const { jobs, nextDueInMs } = await acquireAround(async () => {
        others = (await acquire(state)).jobs.length;
      });
      expect({ others, own: jobs.length, nextDueInMs }).toEqual({
        others: 2,
        own: 0,
        nextDueInMs: null,
      });
    });

    it("a job that somebody else holds is left, and still due", async () => {
      const [held, free] = await state.createJobs({ jobs: [aJob(), aJob()] });
      const other = await pool.connect();
      const { jobs, nextDueInMs } = await acquireAround(async () => {
        await other.query("BEGIN");
        await other.query("SELECT FROM queuert.job WHERE id = $1 FOR UPDATE", [held?.job.id]);
      });
      await other.query("ROLLBACK");
      other.release();
      expect(jobs.map(({ job }) => job.id)).toEqual([free?.job.id]);
      expect(nextDueInMs).toBe(0);
    });

    it("a job that was put off is not taken before its time", async () => {
      const [created] = await state.createJobs({ jobs: [aJob()] });
      const { jobs, nextDueInMs } = await acquireAround(() =>
        pool.query(
          "UPDATE queuert.job SET scheduled_at = clock_timestamp() + interval '1 hour' WHERE id = $1",
          [created?.job.id],
        ),
      );
      expect(jobs).toEqual([]);
      expect(nextDueInMs).toBeGreaterThan(3_590_000);
    });

    it("a job that was deleted is gone, whatever comes in its place", async () => {
      const [created] = await state.createJobs({ jobs: [aJob()] });
      const { jobs, nextDueInMs } = await acquireAround(async () => {
        const rootSequenceIds = [created?.job.id ?? ""];
        await state.runInTransaction((context) =>
          state.deleteSequences({ context, rootSequenceIds }),
        );
        await pool.query("VACUUM queuert.job");
        await state.createJobs({ jobs: [aJob({ typeName: "other" })] });
      });
      expect({ jobs, nextDueInMs }).toEqual({ jobs: [], nextDueInMs: null });
    });
  });

  it("answers as the longer way does, whatever is stored", async () => {
    const seed = chooseSeed();
    const random = seededRandom(seed);
    const typeNames = ["a", "b", "c"];
    for (let round = 0; round < 60; round += 1) {
      await pool.query("TRUNCATE queuert.job, queuert.job_blocker");
      const minute = 60_000;
      const jobs = Array.from({ length: Math.floor(random() * oneOf([6, 14, 40], random)) }, () =>
        aJob({
          typeName: oneOf(typeNames, random),
          priority: oneOf([0, 0, 0, 1, -1], random),
          schedule: { afterMs: oneOf([0, 0, -minute, minute, 60 * minute], random) },
        }),
      );
      if (jobs.length > 0) await state.createJobs({ jobs });
      if (random() < 0.1) {
        await pool.query(`UPDATE queuert.job SET status = 'running', leased_by = 'gone',
          leased_until = clock_timestamp() - interval '1 s' WHERE ordinal % 3 = 0`);
      }
      const limit = oneOf([1, 3, 20], random);
      const params = {
        workerId: "w",
        limit,
        types: typeNames.map((typeName) => ({
          typeName,
          leaseMs: minute,
          limit: oneOf([0, 2, 20], random),
        })),
      };
      const snapshot = "CREATE TABLE kept AS SELECT * FROM queuert.job";
      await pool.query(`DROP TABLE IF EXISTS kept; ${snapshot}`);
      // A new store each: what it remembers of the last round would decide.
      const short = await (await openStore(pool)).acquireJobs(params);
      await pool.query(`TRUNCATE queuert.job;
        INSERT INTO queuert.job OVERRIDING SYSTEM VALUE SELECT * FROM kept`);
      const long = await (await openStore(pool, true)).acquireJobs(params);
      const message = `round ${round}, QUEUERT_SEED=${seed}`;
      const idsOf = ({ jobs }: typeof short): readonly string[] => jobs.map(({ job }) => job.id);
      expect(idsOf(short), message).toEqual(idsOf(long));
      // To the minute, and only of interest where there was room.
      const dueOf = ({ jobs, nextDueInMs }: typeof short): number | null =>
        jobs.length >= limit || nextDueInMs === null ? null : Math.round(nextDueInMs / minute);
      expect(dueOf(short), message).toBe(dueOf(long));
    }
  }, 60_000);
});
