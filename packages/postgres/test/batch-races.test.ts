// A job that is started between the moment of an acquisition and its look for a batch. The race runs with the routines as they are,
// and with a fault in them that it must find.
import type pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { type StateSteps } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changedRoutine, openByHand } from "./by-hand.ts";
import { servers } from "./fixtures.ts";

/** The moment of an acquisition is read from a table: anything can be done between the moment and the look. */
const withMoment = (): string =>
  changedRoutine("acquire_jobs", [
    [
      "v_now timestamptz := clock_timestamp();",
      "v_now timestamptz := (SELECT m.at FROM queuert.moment m);",
    ],
  ]);

/** Jobs beyond the horizon count, and are not taken. */
const countingAll = (): string =>
  changedRoutine("unripe_types", [["AND h.scheduled_at <= p_horizon", ""]]);

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;
  let adapter: AnyStateAdapter;
  let steps: StateSteps;

  beforeEach(async () => {
    ({ pool, adapter, steps } = await openByHand(databases));
    await pool.query("CREATE TABLE queuert.moment AS SELECT clock_timestamp() AS at");
    await pool.query(withMoment());
  });
  afterEach(async () => {
    await pool.end();
  });

  const takeMoment = (): Promise<unknown> =>
    pool.query("UPDATE queuert.moment SET at = clock_timestamp()");

  /** How many jobs an acquisition takes that needs three. */
  const look = async (): Promise<number> => {
    const batch = { minSize: 3, maxWaitMs: 3_600_000 };
    const types = [{ typeName: "task", leaseMs: 60_000, limit: 10, batch }];
    return (await adapter.acquireJobs({ workerId: "w", limit: 10, types })).jobs.length;
  };

  /** The third job is started after the moment of the acquisition. */
  const startBehindTheMoment = async (): Promise<void> => {
    // The first one looks for the horizon in the store.
    expect(await look()).toBe(0);
    await steps.create({}, {});
    await takeMoment();
    await steps.create({});
  };

  it("a job that is not taken does not count for its batch", async () => {
    await startBehindTheMoment();
    expect(await look()).toBe(0);
    await takeMoment();
    expect(await look()).toBe(3);
  });

  it("the race finds a batch that is too small", async () => {
    await pool.query(countingAll());
    await startBehindTheMoment();
    expect(await look()).toBe(2);
    // The third job waits alone.
    await takeMoment();
    expect(await look()).toBe(0);
  });
});
