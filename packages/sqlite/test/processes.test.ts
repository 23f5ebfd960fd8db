// Several real processes on one file, killed with SIGKILL wherever they happen to be.
import { describe, expect, it } from "vitest";
import type { SqliteSynchronous } from "../src/providers/better-sqlite3.ts";
import { checkSqliteSchema } from "../src/index.ts";
import { openProvider, temporaryFile } from "./open-store.ts";
import { openClient, type ProcessClient } from "./processes/definitions.ts";
import { spawnProcess, type TestProcess } from "./processes/spawn.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const timeoutMs = 120_000;

const count = (client: ProcessClient, sql: string): Promise<number> =>
  client.stateProvider.read((connection) => Number(connection.prepare(sql).get()?.[0]));

const expectWholeFile = async ({ stateProvider }: ProcessClient): Promise<void> => {
  const rows = await stateProvider.read((connection) => [
    ...connection.prepare("PRAGMA integrity_check").all(),
    ...connection.prepare("PRAGMA foreign_key_check").all(),
  ]);
  expect(rows).toEqual([["ok"]]);
};

/** Starts workers and kills one after the other in the middle of new work, a new one in its place each time. */
const killWorkers = async (
  filename: string,
  synchronous: SqliteSynchronous,
  kills: number,
  startWork: (round: number) => Promise<void>,
): Promise<TestProcess[]> => {
  let named = 0;
  const start = (): TestProcess =>
    spawnProcess("worker.ts", filename, `worker-${named++}`, synchronous);
  const workers = [start(), start(), start()];
  await Promise.all(workers.map(({ ready }) => ready));
  for (let killed = 0; killed < kills; killed++) {
    await startWork(killed);
    await sleep(Math.random() * 150);
    const index = killed % workers.length;
    await workers[index]?.kill();
    workers[index] = start();
    await workers[index]?.ready;
  }
  return workers;
};

/** Takes orders, with a report for each two, in one transaction. */
const startOrders = ({ queuert }: ProcessClient, orders: number): Promise<void> =>
  queuert.transaction(async (context) => {
    const started = await queuert.startJobSequences({
      ...context,
      sequences: Array.from({ length: orders }, (_, order) => ({
        typeName: "order" as const,
        input: { order },
      })),
    });
    for (let first = 0; first + 1 < orders; first += 2) {
      const [one, other] = started.slice(first, first + 2);
      if (one === undefined || other === undefined) throw new Error("an order is missing");
      await queuert.startJobSequence({
        ...context,
        typeName: "report",
        input: { first },
        startBlockers: async () => [one, other],
      });
    }
  });

const unfinishedSql = "SELECT count(*) FROM queuert_job WHERE status <> 'completed'";

const untilFinished = async (client: ProcessClient): Promise<void> => {
  const endsAt = Date.now() + 60_000;
  while ((await count(client, unfinishedSql)) > 0) {
    if (Date.now() > endsAt) throw new Error("jobs are left over");
    await sleep(50);
  }
};

describe.each(["NORMAL", "FULL"] as const)("with synchronous=%s", (synchronous) => {
  it(
    "workers killed at random lose no job and complete none twice",
    async () => {
      const filename = temporaryFile();
      const client = await openClient(filename, synchronous);
      const kills = 6;
      const ordersEach = 150;
      const workers = await killWorkers(filename, synchronous, kills, () =>
        startOrders(client, ordersEach),
      );
      await untilFinished(client);
      await Promise.all(workers.map((worker) => worker.kill()));

      const orders = kills * ordersEach;
      const jobs = orders * 2 + orders / 2;
      expect(await count(client, "SELECT count(*) FROM queuert_job")).toBe(jobs);
      // Orders and reports write a row when they complete; by value, nothing is written besides.
      const effects = orders + orders / 2;
      expect(await count(client, "SELECT count(*) FROM effect")).toBe(effects);
      expect(await count(client, "SELECT count(DISTINCT job_id) FROM effect")).toBe(effects);
      // Some attempts were lost with their process: otherwise this test has tested nothing.
      expect(
        await count(client, "SELECT count(*) FROM queuert_job WHERE attempt > 1"),
      ).toBeGreaterThan(0);
      await expectWholeFile(client);
      await client.queuert.close();
      await client.stateProvider.close();
    },
    timeoutMs,
  );

  it(
    "a starter killed at random leaves every order with its sequence, and no sequence without",
    async () => {
      const filename = temporaryFile();
      const client = await openClient(filename, synchronous);
      for (let run = 0; run < 4; run++) {
        const starter = spawnProcess("starter.ts", filename, String(run * 1_000_000), synchronous);
        await starter.ready;
        await sleep(50 + Math.random() * 200);
        await starter.kill();
      }
      const orders = await count(client, "SELECT count(*) FROM customer_order");
      expect(orders).toBeGreaterThan(0);
      expect(await count(client, "SELECT count(*) FROM queuert_job")).toBe(orders);
      const together = `
SELECT count(*) FROM customer_order JOIN queuert_job ON queuert_job.id = customer_order.sequence_id`;
      expect(await count(client, together)).toBe(orders);
      await expectWholeFile(client);
      await client.queuert.close();
      await client.stateProvider.close();
    },
    timeoutMs,
  );
});

describe("processes that start at the same instant", () => {
  it(
    "migrate once",
    async () => {
      const filename = temporaryFile();
      const processes = Array.from({ length: 4 }, () => spawnProcess("migrate.ts", filename));
      // Rejects with the error of a process.
      await Promise.all(processes.map(({ ready }) => ready));
      expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
      await checkSqliteSchema({ stateProvider: await openProvider(filename) });
    },
    timeoutMs,
  );
});

it(
  "workers killed at random lose no tick of a schedule and fire none twice",
  async () => {
    const filename = temporaryFile();
    const client = await openClient(filename, "NORMAL");
    const { queuert } = client;
    const names = Array.from({ length: 20 }, (_, index) => `schedule ${index}`);
    await queuert.upsertSchedules({
      schedules: names.map((name, order) => ({
        ...{ name, typeName: "order" as const, input: { order }, overlap: "allow" as const },
        // Spread over the second, so that kills meet firings.
        ...{ everyMs: 1_000, anchor: new Date(order * 50), catchUp: { withinMs: 600_000 } },
      })),
    });
    const workers = await killWorkers(filename, "NORMAL", 15, async () => undefined);
    await queuert.pauseSchedules({ names });
    await untilFinished(client);
    await Promise.all(workers.map((worker) => worker.kill()));

    let tickCount = 0;
    for (const name of names) {
      const { items } = await queuert.listScheduleTicks({ name, order: "asc", limit: 1_000 });
      const [first] = items;
      tickCount += items.length;
      expect(items.map(({ at }) => at.getTime())).toEqual(
        items.map((_, index) => (first?.at.getTime() ?? 0) + index * 1_000),
      );
      expect(items.filter(({ outcome }) => outcome !== "started")).toEqual([]);
    }
    expect(tickCount).toBeGreaterThan(names.length);
    const sequences = "SELECT count(*) FROM queuert_job WHERE deduplication_key LIKE 'schedule:%'";
    expect(await count(client, sequences)).toBe(tickCount);
    await expectWholeFile(client);
    await queuert.close();
  },
  timeoutMs,
);

it(
  "a worker that restarts under its name after a kill takes its jobs back before their leases end",
  async () => {
    const filename = temporaryFile();
    const client = await openClient(filename, "NORMAL");
    const { queuert } = client;
    const sequence = await queuert.transaction((context) =>
      queuert.startJobSequence({ ...context, typeName: "order", input: { order: 1 } }),
    );
    const first = spawnProcess("restarting-worker.ts", filename, "hold");
    await first.ready;
    await first.kill();
    const second = spawnProcess("restarting-worker.ts", filename, "finish");
    await second.ready;
    const { output } = await queuert.waitForJobSequenceCompletion({ ...sequence, timeoutMs });
    expect(output).toEqual({ shipped: 1 });
    expect(await count(client, "SELECT max(attempt) FROM queuert_job")).toBe(2);
    await second.kill();
    await queuert.close();
    await client.stateProvider.close();
  },
  timeoutMs,
);
