// The races of a limit with the renewal of an expired lease, forced: both transactions are held open by hand. With only the count of
// unexpired leases, each of them would let two jobs hold the one permit.
import type pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { type StateSteps } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
    const limit = { name: "task", concurrency: 1, rate: null, declaration: null };
    await adapter.setLimits({ limits: [limit] });
  });
  afterEach(async () => {
    client.release();
    await pool.end();
  });

  /** In the open transaction of `client`: the reasons of lost leases. */
  const renew = async (id: string): Promise<readonly unknown[]> => {
    const sql =
      "SELECT reason FROM queuert.renew_leases(ARRAY[$1]::uuid[], ARRAY[1], ARRAY[60000]::float8[])";
    return (await client.query<{ reason: unknown }>(sql, [id])).rows.map(({ reason }) => reason);
  };

  it("counts a lease that a renewal has locked, although it has expired meanwhile", async () => {
    const held = await steps.createRunning({}, { leaseMs: 300 });
    await steps.createOne({ priority: 1 });
    await client.query("BEGIN");
    expect(await renew(held.id)).toEqual([]);
    // Others still see the old lease, which expires.
    await steps.untilExpired(held);
    expect(await steps.acquire({ limit: 2 })).toEqual([]);
    await client.query("COMMIT");
    expect(await steps.acquire({ limit: 2 })).toEqual([]);
    expect(await steps.renew(held)).toEqual({ kind: "held" });
  });

  it("renews no lease whose permit an acquisition is giving to another job", async () => {
    const lost = await steps.createRunning({}, { leaseMs: 1 });
    const next = await steps.createOne({ priority: 1 });
    await steps.untilExpired(lost);
    await client.query("BEGIN");
    const acquired = await client.query<{ id: string | null }>(
      `SELECT id FROM queuert.acquire_jobs(
        'w', 1, ARRAY['task'], ARRAY[60000]::float8[], ARRAY[1], '{}', '{}', '{}', '{}', '{}', '{}', NULL, 1, NULL)`,
    );
    expect(acquired.rows[0]?.id).toBe(next.id);
    // The acquisition has locked the expired row: it is left as it is, and nothing waits.
    expect(await steps.renew(lost)).toEqual({ kind: "held" });
    await client.query("COMMIT");
    expect(await steps.renew(lost)).toEqual({ kind: "lost", reason: "lease_expired" });
    expect(await adapter.getLimits({ names: null })).toMatchObject([{ running: 1 }]);
  });

  it("passes by a limit that another transaction holds for long", async () => {
    await steps.createOne();
    const other = await steps.createOne({ typeName: "other" });
    await client.query("BEGIN");
    await client.query("SELECT FROM queuert.job_limit FOR UPDATE");
    const types = ["task", "other"].map((typeName) => ({ typeName, leaseMs: 60_000, limit: 1 }));
    const { jobs, isLimited } = await adapter.acquireJobs({ workerId: "w", limit: 5, types });
    expect(jobs.map(({ job }) => job.id)).toEqual([other.id]);
    expect(isLimited).toBe(true);
    await client.query("ROLLBACK");
    expect(await steps.acquire()).toHaveLength(1);
  });
});
