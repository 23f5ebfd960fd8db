// Acquisitions of jobs under keys that are held open by hand, and the tuples that they read. The races with open transactions
// of users are in the suites.
import type pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { eventually, type StateSteps } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anEntryJob } from "./call-every-method.ts";
import { openByHand } from "./by-hand.ts";
import { servers } from "./fixtures.ts";

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;
  let client: pg.PoolClient;
  let adapter: AnyStateAdapter;
  let steps: StateSteps;

  beforeEach(async () => {
    ({ pool, adapter, steps } = await openByHand(databases));
    client = await pool.connect();
    const perKey = { concurrency: 1, rate: null };
    const limit = { name: "task", concurrency: null, rate: null, perKey, declaration: null };
    await adapter.setLimits({ limits: [limit] });
  });
  afterEach(async () => {
    client.release();
    await pool.end();
  });

  const under = (key: string) => ({ limitKey: { limitName: "task", key, cost: 1 } });

  /** In the open transaction of `client`: the ids of acquired jobs. */
  const acquireByHand = async (batch: object | null = null): Promise<readonly unknown[]> => {
    const { rows } = await client.query<{ id: unknown }>(
      `SELECT id FROM queuert.acquire_jobs(
        'w', 5, ARRAY['task'], ARRAY[60000]::float8[], ARRAY[5], '{}', '{}', '{}', '{}', '{}', '{}', NULL, 5, $1)
      WHERE id IS NOT NULL`,
      [batch && JSON.stringify([{ type_name: "task", ...batch }])],
    );
    return rows.map(({ id }) => id);
  };

  it("passes by a key that another acquisition is looking at", async () => {
    const [first] = await steps.create(under("a"), under("a"));
    await steps.create(under("b"));
    await client.query("BEGIN");
    expect(await acquireByHand()).toHaveLength(2);
    await steps.create(under("a"), under("c"));
    const beside = await steps.acquire({ limit: 5 });
    expect(beside.map(({ job }) => job.id)).not.toContain(first?.id);
    expect(beside).toHaveLength(1);
    await client.query("COMMIT");
    expect(await steps.acquire({ limit: 5 })).toEqual([]);
  });

  it("leaves all turns behind when an acquisition is rolled back", async () => {
    await steps.create(under("a"), under("b"));
    await client.query("BEGIN");
    expect(await acquireByHand()).toHaveLength(2);
    await client.query("ROLLBACK");
    expect(await steps.acquire({ limit: 5 })).toHaveLength(2);
  });

  it("finds the job of a permit that ends while an acquisition looks at the key", async () => {
    const [job] = await steps.create(under("a"), under("a"));
    expect(await steps.acquire({ limit: 5 })).toHaveLength(1);
    const held = await steps.get({ id: job?.id ?? "" });
    // The end of the attempt leaves a turn that the open acquisition cannot see.
    await steps.create(under("a"));
    await client.query("BEGIN");
    expect(await acquireByHand()).toEqual([]);
    expect((await steps.complete(held)).kind).toBe("completed");
    await client.query("COMMIT");
    expect(await steps.acquire({ limit: 5 })).toHaveLength(1);
  });

  const crm = { limitKey: { limitName: "crm", key: "a", cost: 1 } };
  const targets = [{ typeName: "crm" }];

  it("finds a job whose limit is resumed while an acquisition looks at it", async () => {
    await adapter.pause({ targets, forMs: null, note: null });
    const { id } = await steps.createOne(crm);
    await client.query("BEGIN");
    expect(await acquireByHand()).toEqual([]);
    // It waits for the acquisition, which has used up the turn of the job.
    const resuming = adapter.resume({ targets });
    await eventually(async () => {
      // Other files use the same server.
      const { rows } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rows.length > 0 ? true : undefined;
    }, "the wait of the resumption");
    await client.query("COMMIT");
    expect(await resuming).toEqual([true]);
    const [found] = await steps.acquire({ limit: 5 });
    expect(found?.job.id).toBe(id);
  });

  it.each(["limit", "key"])(
    "finds a job that commits while the pause of its %s ends",
    async (scope) => {
      const pause = { forMs: null, note: null, extends: false };
      if (scope === "limit") await adapter.pause({ targets, ...pause });
      else await adapter.limitKeys?.setLimitKeys({ keys: [{ ...crm.limitKey, pause }] });
      await client.query("BEGIN");
      await client.query(
        scope === "limit"
          ? "SELECT queuert.resume(ARRAY['crm'])"
          : `SELECT queuert.set_limit_keys(ARRAY['crm'], ARRAY['a'], ARRAY[false], '{NULL}', '{NULL}',
              '{NULL}', '{NULL}', '{NULL}', ARRAY[true], '{NULL}', ARRAY[false], '{NULL}', '{NULL}')`,
      );
      // The pause that ends has not seen the job. The acquisition still sees the pause, and uses up the turn of the job.
      const { id } = await steps.createOne(crm);
      expect(await steps.acquire({ limit: 5 })).toEqual([]);
      await client.query("COMMIT");
      const found = await eventually(async () => (await steps.acquire())[0], "the job");
      expect(found.job.id).toBe(id);
    },
  );

  it("gives the batch of a key to one of two acquisitions, and another key to the other", async () => {
    await adapter.deleteLimits({ names: ["task"] });
    const batch = { min_size: 2, max_wait_ms: 60_000, per_key: true };
    const named = (key: string) => ({ ...under(key), input: JSON.stringify(key) });
    await steps.create(named("a"), named("a"), named("b"), named("b"));
    await client.query("BEGIN");
    expect(await acquireByHand(batch)).toHaveLength(2);
    await steps.create(named("a"), named("c"), named("c"));
    const look = () =>
      adapter.acquireJobs({
        ...{ workerId: "w", limit: 5 },
        types: [
          {
            ...{ typeName: "task", leaseMs: 60_000, limit: 5 },
            batch: { minSize: 2, maxWaitMs: 60_000, perKey: true },
          },
        ],
      });
    const beside = await look();
    // The key that is held has three due jobs for this look, and gives it none.
    expect(beside.jobs.map(({ job }) => job.input)).not.toContain('"a"');
    await client.query("ROLLBACK");
    const sizes: number[] = [beside.jobs.length];
    for (let jobs = (await look()).jobs; jobs.length > 0; jobs = (await look()).jobs) {
      sizes.push(jobs.length);
    }
    expect(sizes.filter((size) => size > 0).toSorted()).toEqual([2, 2, 3]);
  });

  it("reads a bounded number of rows with old statistics, beside full keys", async () => {
    await pool.query("ALTER TABLE queuert.job SET (autovacuum_enabled = false)");
    await pool.query("ALTER TABLE queuert.lease SET (autovacuum_enabled = false)");
    await pool.query("ALTER TABLE queuert.ready SET (autovacuum_enabled = false)");
    await pool.query("ANALYZE queuert.job, queuert.lease, queuert.ready, queuert.turn");
    const jobs = Array.from({ length: 2_000 }, (_, index) => ({
      ...anEntryJob({ typeName: "task" }),
      ...under(`key ${index % 1_000}`),
    }));
    await adapter.createJobs({ jobs: jobs.map((job) => ({ ...job, ...under("full") })) });
    await adapter.createJobs({ jobs });
    const reads = async (): Promise<number> => {
      await pool.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await pool.query<{ reads: string }>(
        `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS reads FROM pg_stat_user_tables
        WHERE schemaname = 'queuert' AND relname IN ('job', 'lease', 'ready')`,
      );
      return Number(rows[0]?.reads);
    };
    // The turns of the full key are cleaned, and the plans are made.
    for (let turn = 0; turn < 3; turn++) await steps.acquire({ limit: 100 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = await reads();
    let taken = 0;
    for (let turn = 0; turn < 5; turn++) taken += (await steps.acquire({ limit: 100 })).length;
    expect(taken).toBe(500);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await reads()) - before).toBeLessThanOrEqual(taken * 12);
  });

  it("passes once by keys that another acquisition holds, however many of its own have ended", async () => {
    const jobs = Array.from({ length: 1_500 }, (_, index) => ({
      ...anEntryJob({ typeName: "task" }),
      ...under(`key ${index}`),
    }));
    await adapter.createJobs({ jobs });
    // The end of each attempt leaves a turn, and no key has another job.
    for (let taken = 0; taken < 1_500;) {
      const acquired = await steps.acquire({ limit: 100 });
      taken += acquired.length;
      await adapter.completeJobs({
        workerId: "w",
        completions: acquired.map(({ job: { id, leaseVersion } }) => ({
          ...{ jobId: id, leaseVersion },
          outcome: { kind: "output" as const, output: "null" },
        })),
      });
    }
    const reads = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await pool.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await pool.query<{ reads: string }>(
        `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS reads FROM pg_stat_user_tables
        WHERE schemaname = 'queuert' AND relname = 'turn'`,
      );
      return Number(rows[0]?.reads);
    };
    await client.query("BEGIN");
    // A hundred rounds of five keys.
    expect(await acquireByHand()).toEqual([]);
    const before = await reads();
    expect(await steps.acquire({ limit: 5 })).toEqual([]);
    expect((await reads()) - before).toBeLessThanOrEqual(5_000);
    await client.query("COMMIT");
  });
});
