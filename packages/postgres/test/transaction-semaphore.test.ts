// A pool whose connections are all held by transactions would leave the worker's own statements waiting behind them.
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createTransactionSemaphore } from "../src/transaction-semaphore.ts";
import { servers } from "./fixtures.ts";

const [, databases] = servers[0] ?? [];
let pool: pg.Pool;

beforeEach(async () => {
  const database = await databases?.().createDatabase();
  pool = new pg.Pool({ connectionString: database?.url, max: 3 });
});
afterEach(() => pool.end());

const openAdapter = async () => {
  const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
  await adapter.migrateToLatest();
  return adapter;
};

it("keeps a connection free of transactions, and lets them have the others in turn", async () => {
  const adapter = await openAdapter();
  const begun: number[] = [];
  const endings: (() => void)[] = [];
  const transactions = [0, 1, 2, 3].map((index) =>
    adapter.runInTransaction(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => endings.push(resolve));
    }),
  );
  // Answered while as many transactions are held as there may be: with all three connections taken it would hang.
  while (begun.length < 2) await adapter.renewLeases({ leases: [lease] });
  await adapter.renewLeases({ leases: [lease] });
  expect(begun).toEqual([0, 1]);
  while (endings.length > 0 || begun.length < 4) {
    endings.shift()?.();
    await adapter.renewLeases({ leases: [lease] });
  }
  await Promise.all(transactions);
  expect(begun).toEqual([0, 1, 2, 3]);
});

it("lends the reserved connection to transactions inside others that hold all permits", async () => {
  const adapter = await openAdapter();
  let begunCount = 0;
  let release = (): void => undefined;
  const bothBegun = new Promise<void>((resolve) => (release = resolve));
  const nested = (index: number): Promise<number> =>
    adapter.runInTransaction(async () => {
      if (++begunCount === 2) release();
      await bothBegun;
      return adapter.runInTransaction(async () => index);
    });
  expect(await Promise.all([nested(0), nested(1)])).toEqual([0, 1]);
  // The reserved connection is reserved again.
  expect(await adapter.renewLeases({ leases: [lease] })).toHaveLength(1);
});

it("handlers that open a transaction inside their completion all finish, and a stop is quick", async () => {
  const queuert = await createQueuert({
    stateAdapter: await openAdapter(),
    jobTypeDefinitions: defineUnionJobTypes<{
      outer: { entry: true; input: null; output: null };
      inner: { entry: true; input: null; output: null };
    }>(),
  });
  const sequences = [0, 1, 2, 3].map(() => ({ typeName: "outer", input: null }) as const);
  const started = await queuert.startJobSequences({ autocommit: true, sequences });
  let insideCount = 0;
  let bothInside = (): void => undefined;
  const areBothInside = new Promise<void>((resolve) => (bothInside = resolve));
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "outer",
      process: async ({ complete }) =>
        complete(async () => {
          if (++insideCount === 2) bothInside();
          // Both connections that transactions may hold are taken.
          await areBothInside;
          await queuert.transaction((tx) =>
            queuert.startJobSequence({ ...tx, typeName: "inner", input: null }),
          );
          return null;
        }),
    })
    .start({ concurrency: 2 });
  const timeoutMs = 20_000;
  await Promise.all(
    started.map(({ id }) =>
      queuert.waitForJobSequenceCompletion({ typeName: "outer", id, timeoutMs }),
    ),
  );
  await worker.stop();
  const inner = await queuert.listJobs({ typeName: "inner" });
  expect(inner.items).toHaveLength(4);
  await queuert.close();
});

it("refuses a transaction that waits while none ends, and lets later ones begin", async () => {
  const withPermit = createTransactionSemaphore(1, { lendAfterMs: 5, refuseAfterMs: 50 });
  let begunCount = 0;
  const nested = async (depth: number): Promise<unknown> => {
    begunCount += 1;
    return depth === 0 ? "done" : withPermit(() => nested(depth - 1));
  };
  // One permit, one that is lent, and a third that nothing can end for.
  await expect(withPermit(() => nested(2))).rejects.toMatchObject({
    code: "QUEUERT_PG_TRANSACTION_STALLED",
    message: expect.stringContaining("spread the context"),
  });
  expect(begunCount).toBe(2);
  expect(await withPermit(() => nested(1))).toBe("done");
  expect(await withPermit(() => nested(0))).toBe("done");
});

it("hands the turn on when a transaction fails", async () => {
  const adapter = await openAdapter();
  const failed = Array.from({ length: 6 }, (_, index) =>
    adapter.runInTransaction(() => Promise.reject(new Error(String(index)))),
  );
  const results = await Promise.allSettled(failed);
  expect(results.map(({ status }) => status)).toEqual(failed.map(() => "rejected"));
  expect(await adapter.runInTransaction(async () => "done")).toBe("done");
});

it("a worker that wants more connections than there are says so when it starts, with the numbers", async () => {
  const warned: unknown[] = [];
  const queuert = await createQueuert({
    stateAdapter: await openAdapter(),
    jobTypeDefinitions: defineUnionJobTypes<{ some: { input: null; output: null } }>(),
    log: ({ type, level, message }) => {
      if (level === "warn") warned.push({ type, message });
    },
  });
  const worker = queuert.createWorker().implementJobType({
    typeName: "some",
    process: async ({ complete }) => complete(null),
  });
  await (await worker.start({ concurrency: 3 })).stop();
  expect(warned).toEqual([]);
  await (await worker.start({ concurrency: 4, workerId: "w" })).stop();
  expect(warned).toEqual([
    {
      type: "workerLacksConnections",
      message: expect.stringContaining("worker w runs up to 4 jobs at a time on 3 connections"),
    },
  ]);
  await queuert.close();
});

const lease = {
  jobId: "00000000-0000-7000-8000-000000000000",
  leaseVersion: 1,
  leaseMs: 1_000,
};
