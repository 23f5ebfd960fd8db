// Faults between workers and a real server: no job is lost and no job is done twice.
import { startTcpProxy } from "@queuert/test-services";
import { expect, it, vi } from "vitest";
import { useFaultRig } from "./fault-rig.ts";
import { openClient } from "./steps.ts";
import { surviveUnderLoad } from "./survive-under-load.ts";

const rig = useFaultRig();

surviveUnderLoad(rig, () => rig.startWorker());

it("notices half-open connections, the listening one and those of queries, and goes on when they heal", async () => {
  const proxy = await startTcpProxy(rig.url);
  rig.endings.push(() => proxy.close());
  const lost = vi.fn<(error: unknown) => void>();
  // Without these a driver waits for an answer as long as the system keeps the connection: a quarter of an hour.
  const timeouts = { query_timeout: 1_000, connectionTimeoutMillis: 1_000 };
  const behind = await openClient(proxy.url, timeouts, lost);
  rig.endings.push(() => behind.close());
  await rig.startWorker(behind);
  await rig.startMany(20);
  await rig.expectEachOnce(20);
  proxy.halfOpen();
  await expect(behind.pool.query("SELECT 1")).rejects.toThrow("timeout");
  await vi.waitFor(() => expect(lost).toHaveBeenCalled(), { timeout: 10_000 });
  await rig.client.pool.query(
    "TRUNCATE done, queuert.job, queuert.ready, queuert.lease, queuert.deduplication",
  );
  await rig.startMany(20);
  await proxy.heal();
  await rig.expectEachOnce(20);
}, 150_000);

// By a trigger: a disk that is really full would need a file system of its own.
const fillDisk = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
    END $$;
  CREATE TRIGGER refuse BEFORE UPDATE ON queuert.job FOR EACH STATEMENT EXECUTE FUNCTION refuse();
  CREATE TRIGGER refuse BEFORE INSERT ON queuert.lease FOR EACH STATEMENT EXECUTE FUNCTION refuse()`;
const emptyDisk = "DROP FUNCTION refuse CASCADE";

/** Waits until the server has rolled so many transactions back. */
const untilRefused = async (count: number): Promise<void> => {
  const refusals = async (): Promise<number> => {
    const { rows } = await rig.client.pool.query<{ count: number }>(
      "SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()",
    );
    return rows[0]?.count ?? 0;
  };
  await vi.waitFor(async () => expect(await refusals()).toBeGreaterThanOrEqual(count), {
    timeout: 10_000,
  });
};

it("waits while the disk is full, and goes on when there is room", async () => {
  await rig.startMany(50);
  await rig.client.pool.query(fillDisk);
  await rig.startWorker();
  await untilRefused(2);
  await rig.client.pool.query(emptyDisk);
  await rig.expectEachOnce(50);
  const { rows } = await rig.client.pool.query("SELECT DISTINCT attempt FROM queuert.job");
  expect(rows).toEqual([{ attempt: 1 }]);
}, 150_000);

it("stores the results of a full disk's time, without running the jobs again", async () => {
  let runs = 0;
  const worker = await rig.client.queuert
    .createWorker()
    .implementJobType({
      typeName: "step",
      process: async ({ complete }) => {
        runs += 1;
        if (runs === 1) await rig.client.pool.query(fillDisk);
        return complete(null);
      },
    })
    .start({ concurrency: 1 });
  rig.endings.push(() => worker.stop());
  await rig.startMany(3, "by value");
  await untilRefused(2);
  await rig.client.pool.query(emptyDisk);
  await rig.expectEachOnce(3, 0);
  expect(runs).toBe(3);
}, 150_000);

it("a statement timeout in a callback is an attempt that failed", async () => {
  const strict = await openClient(rig.url, { statement_timeout: 300 });
  rig.endings.push(() => strict.close());
  await rig.startWorker(strict);
  await rig.startMany(3, "slow");
  await rig.expectEachOnce(3);
}, 150_000);

it("more transactions at a time than connections wait for their turn", async () => {
  const small = await openClient(rig.url, { max: 2 });
  rig.endings.push(() => small.close());
  await rig.startWorker(small, 20);
  await rig.startMany(100);
  await rig.expectEachOnce(100);
}, 150_000);
