// The rules of the tables. Updates of ordinary jobs stay on their page, and leases are deleted when their jobs have ended. A clock
// that is set back delays no job that was due.
import type { AnyStateAdapter } from "queuert/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createShownClock } from "../../src/state/acquire-jobs/acquire-jobs.ts";
import { createHeldLeases } from "../../src/state/held-leases.ts";
import { servers } from "../fixtures.ts";
import { acquire, complete, look, openStore, reclaim, start, type Store } from "./open-store.ts";

describe.each(servers)("%s", (_server, databases) => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore((await databases().createDatabase()).url);
  });
  afterAll(() => store.close());

  const rowOf = async (id: string): Promise<Record<string, unknown>> =>
    (await store.query("SELECT to_jsonb(j) AS row FROM queuert.job j WHERE id = $1", [id]))[0]?.[
      "row"
    ] as Record<string, unknown>;

  it("no index and no predicate covers a column that ordinary attempts change", async () => {
    const { id } = await start(store.adapter);
    const changed = new Set<string>();
    let before = await rowOf(id);
    const note = async (): Promise<void> => {
      const after = await rowOf(id);
      for (const name of Object.keys(after)) {
        if (after[name] !== before[name]) changed.add(name);
      }
      before = after;
    };
    await acquire(store.adapter);
    expect(await rowOf(id)).toEqual(before);
    const schedule = { at: new Date(0) };
    await store.adapter.rescheduleJobs({
      jobs: [{ jobId: id, leaseVersion: 1, schedule, countsAttempt: true, error: "again" }],
    });
    await note();
    await acquire(store.adapter, 0);
    await reclaim(store.adapter);
    await note();
    await acquire(store.adapter);
    await complete(store.adapter, id, 3);
    await note();
    const indexed = await store.query(`
      SELECT DISTINCT a.attname AS name FROM pg_index i
      JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
        AND d.refobjid = i.indrelid AND d.refobjsubid > 0
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
      WHERE i.indrelid = 'queuert.job'::regclass`);
    const names = indexed.map(({ name }) => String(name));
    expect(names).toContain("set_aside");
    expect([...changed]).toContain("status");
    expect(names.filter((name) => changed.has(name))).toEqual([]);
  });

  it("completions stay on their page, and an acquisition writes no job", async () => {
    const held = await store.hold();
    const updates = async (): Promise<readonly number[]> => {
      const [row] = await held.query(`SELECT
        pg_stat_get_xact_tuples_updated('queuert.job'::regclass)::int AS updated,
        pg_stat_get_xact_tuples_hot_updated('queuert.job'::regclass)::int AS hot`);
      return [Number(row?.["updated"]), Number(row?.["hot"])];
    };
    const before = await updates();
    const created: string[] = [];
    for (let count = 0; count < 200; count += 1) created.push((await start(held.adapter)).id);
    for (let taken = 0; taken < 200; taken += 10) await acquire(held.adapter);
    expect(await updates()).toEqual(before);
    const outcome = { kind: "output", output: '{"done":true}' } as const;
    await held.adapter.completeJobs({
      workerId: "w",
      completions: created.map((jobId) => ({ jobId, leaseVersion: 1, outcome })),
    });
    const [updated = 0, hot = 0] = await updates();
    await held.end("ROLLBACK");
    expect(updated - (before[0] ?? 0)).toBe(200);
    expect(hot - (before[1] ?? 0)).toBeGreaterThanOrEqual(180);
  });

  const leaseCount = async (): Promise<number> =>
    (await store.query("SELECT FROM queuert.lease")).length;

  it("the next acquisition deletes a lease of which all jobs have ended, and no other", async () => {
    const adapter = await store.open();
    await store.query("TRUNCATE queuert.lease");
    const [one, other] = [await start(adapter), await start(adapter)];
    await acquire(adapter);
    await complete(adapter, one.id);
    await acquire(adapter);
    expect(await leaseCount()).toBe(1);
    // By a transaction that is rolled back.
    const undone = new Error("undone");
    const undo = adapter.runInTransaction(async (context) => {
      await adapter.completeJobs({
        context,
        workerId: "w",
        completions: [
          { jobId: other.id, leaseVersion: 1, outcome: { kind: "output", output: "1" } },
        ],
      });
      throw undone;
    });
    await expect(undo).rejects.toBe(undone);
    await acquire(adapter);
    expect(await look(adapter, other.id)).toMatchObject({ status: "running" });
    // The adapter has forgotten when it acquired the job: the server knows.
    await complete(adapter, other.id);
    const [row] = await store.query(
      `SELECT j.last_attempt_at = l.acquired_at AS same
      FROM queuert.job j CROSS JOIN queuert.lease l WHERE j.id = $1`,
      [other.id],
    );
    expect(row).toEqual({ same: true });
    await store.query("UPDATE queuert.lease SET leased_until = now()");
    expect(await reclaim(adapter)).toEqual([]);
    expect(await leaseCount()).toBe(0);
  });

  describe("a clock that was set back by an hour", () => {
    let fresh: AnyStateAdapter;

    it("a new worker acquires jobs that were due, and none that is scheduled", async () => {
      const [due] = [await start(store.adapter)];
      const scheduled = await start(store.adapter, { schedule: { afterMs: 60_000 } });
      // As if an hour later.
      await store.query(`
        WITH later AS (
          UPDATE queuert.job SET scheduled_at = scheduled_at + interval '1 hour'
          WHERE status = 'open' RETURNING ordinal, scheduled_at)
        UPDATE queuert.ready r SET scheduled_at = l.scheduled_at
        FROM later l WHERE l.ordinal = r.ordinal`);
      fresh = await store.open();
      expect(await acquire(fresh)).toEqual([due.id]);
      expect(await look(fresh, scheduled.id)).toMatchObject({ status: "pending" });
      await complete(fresh, due.id);
      await complete(fresh, scheduled.id, null);
    });

    it("a lease gets its length by the new clock", async () => {
      const { id } = await start(fresh);
      await acquire(fresh, 30_000);
      await store.query(`UPDATE queuert.lease
        SET set_at = set_at + interval '1 hour', leased_until = leased_until + interval '1 hour'`);
      expect(await reclaim(fresh)).toEqual([]);
      const [row] = await store.query(
        `SELECT date_part('epoch', leased_until - clock_timestamp()) AS seconds FROM queuert.lease
        WHERE $1 = ANY(job_ids)`,
        [id],
      );
      expect(Number(row?.["seconds"])).toBeGreaterThan(20);
      expect(Number(row?.["seconds"])).toBeLessThanOrEqual(30);
      await complete(fresh, id);
    });

    it("an empty answer has the time of the store", async () => {
      const types = [{ typeName: "none", leaseMs: 1_000, limit: 1 }];
      const { storeTime } = await fresh.acquireJobs({ workerId: "w", limit: 1, types });
      expect(storeTime).toBeInstanceOf(Date);
    });
  });

  it("checkSchema names jobs that can never run", async () => {
    const { id } = await start(store.adapter);
    await store.query("DELETE FROM queuert.ready WHERE job_id = $1", [id]);
    expect((await store.checkSchema()).unexpected).toEqual([
      `job ${id} is open with 0 ready rows and 0 leases`,
    ]);
  });
});

describe("the clock as it was shown", () => {
  it("is looked up first, and every 10 s while the clock is behind it", () => {
    let now = 0;
    const clock = createShownClock(() => now);
    expect(clock.horizonUs()).toBeNull();
    clock.learn(1_000, 1_000);
    expect(clock.horizonUs()).toBe(1_000);
    now = 20_000;
    clock.learn(500, 1_000);
    expect(clock.horizonUs()).toBeNull();
    clock.learn(600, 2_000);
    now = 29_999;
    expect(clock.horizonUs()).toBe(2_000);
    now = 30_000;
    expect(clock.horizonUs()).toBeNull();
    clock.learn(2_500, 2_500);
    now = 90_000;
    expect(clock.horizonUs()).toBe(2_500);
  });
});

describe("leases in memory", () => {
  const lease = (untilUs: number, ...ids: string[]) => ({
    ...{ acquiredAtUs: untilUs - 1, untilUs, firstOrdinal: 1 },
    jobs: ids.map((id) => ({ id, leaseVersion: 1 })),
  });

  it("a lease is settled once, when its last job has ended", () => {
    const leases = createHeldLeases();
    leases.acquired("w", [lease(100, "a", "b")]);
    leases.ended([{ jobId: "a", leaseVersion: 1 }]);
    leases.ended([
      { jobId: "a", leaseVersion: 1 },
      { jobId: "b", leaseVersion: 2 },
    ]);
    expect(leases.takeSettled()).toEqual([]);
    expect(leases.acquiredAtUs({ jobId: "b", leaseVersion: 1 })).toBe(99);
    leases.ended([{ jobId: "b", leaseVersion: 1 }]);
    // Until there are eight.
    expect(leases.takeSettled()).toEqual([]);
    const others = Array.from({ length: 7 }, (_, index) => `other ${index}`);
    for (const id of others) leases.acquired("w", [lease(200, id)]);
    leases.ended(others.map((jobId) => ({ jobId, leaseVersion: 1 })));
    const settled = leases.takeSettled();
    expect(settled).toHaveLength(8);
    expect(settled[0]).toMatchObject({ untilUs: 100, firstOrdinal: 1 });
    expect(leases.takeSettled()).toEqual([]);
    expect(leases.acquiredAtUs({ jobId: "b", leaseVersion: 1 })).toBeNull();
  });

  it("held jobs are known after thousands of others have ended", () => {
    const leases = createHeldLeases();
    leases.acquired("w", [lease(100, "held")]);
    for (let round = 0; round < 50; round++) {
      const ids = Array.from({ length: 100 }, (_, index) => `${round} ${index}`);
      leases.acquired("w", [lease(100, ...ids)]);
      leases.ended(ids.map((jobId) => ({ jobId, leaseVersion: 1 })));
      expect(leases.acquiredAtUs({ jobId: "0 0", leaseVersion: 1 })).toBeNull();
    }
    expect(leases.acquiredAtUs({ jobId: "held", leaseVersion: 1 })).toBe(99);
  });

  it("jobs that never end are forgotten", () => {
    const leases = createHeldLeases();
    const ids = Array.from({ length: 10_000 }, (_, index) => `old ${index}`);
    leases.acquired("w", [lease(100, ...ids)]);
    leases.acquired("w", [lease(3_600_000_000_000, "new", ...ids.map((id) => `new ${id}`))]);
    expect(leases.acquiredAtUs({ jobId: "old 1", leaseVersion: 1 })).toBeNull();
    expect(leases.acquiredAtUs({ jobId: "new", leaseVersion: 1 })).not.toBeNull();
  });
});
