// Calls with thousands of elements, and stores with thousands of waiting jobs. The work is in proportion to the call, with
// any statistics of SQLite. With quadratic work, these cases take ten seconds to minutes.
import { closeSync, openSync, writeSync } from "node:fs";
import type { AcquiredJob } from "queuert/internal";
import { describe, expect, it } from "vitest";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import { aNewJob, openStore, type SqliteTestAdapter, temporaryFile } from "./open-store.ts";

/** Of the processor: other programs keep a test waiting, and change little about its own work. */
const processorMsMax = 8_000;

const itWorksInProportion = (title: string, run: () => Promise<void>): void =>
  it(
    title,
    async () => {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(processorMsMax);
    },
    120_000,
  );

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

const startWaiting = (adapter: SqliteTestAdapter, count: number, blockerIds: readonly string[]) =>
  adapter.runInTransaction(async (context) => {
    const waiting = aNewJob({ awaitsBlockers: true, onBlockerFailure: "fail" });
    const created = await adapter.createJobs({ context, jobs: range(count).map(() => waiting) });
    const jobs = created.map(({ job }) => ({ jobId: job.id, blockerSequenceIds: blockerIds }));
    await adapter.addBlockers({ context, jobs });
    return created.map(({ job }) => job.id);
  });

const start = async (adapter: SqliteTestAdapter, typeName: string, count = 1, input = "{}") => {
  const jobs = range(count).map(() => aNewJob({ typeName, input }));
  return (await adapter.createJobs({ jobs })).map(({ job }) => job.id);
};

const acquire = async (
  adapter: SqliteTestAdapter,
  typeName: string,
  limit = 1,
  leaseMs = 60_000,
): Promise<readonly AcquiredJob[]> => {
  const types = [{ typeName, leaseMs, limit }];
  return (await adapter.acquireJobs({ workerId: "w", limit, types })).jobs;
};

const fail = async (adapter: SqliteTestAdapter, typeName: string) => {
  const jobs = (await acquire(adapter, typeName)).map(({ job }) => ({
    jobId: job.id,
    leaseVersion: job.leaseVersion,
    error: "no",
  }));
  return (await adapter.failJobs({ jobs })).dependants;
};

itWorksInProportion(
  "a chain of thousands that fails with its first job is retried, the last first",
  async () => {
    const { adapter } = await openStore();
    const ids = await start(adapter, "first");
    await adapter.runInTransaction(async (context) => {
      for (let length = 1; length < 3_000; length++) {
        const waiting = aNewJob({ awaitsBlockers: true, onBlockerFailure: "fail" });
        const [created] = await adapter.createJobs({ context, jobs: [waiting] });
        const jobId = created?.job.id ?? "";
        const jobs = [{ jobId, blockerSequenceIds: ids.slice(-1) }];
        await adapter.addBlockers({ context, jobs });
        ids.push(jobId);
      }
    });
    expect((await fail(adapter, "first")).length).toBe(2_999);
    const retried = await adapter.retryFailedJobs({ ids: ids.reverse() });
    expect(new Set(retried.map(({ kind }) => kind))).toEqual(new Set(["retried"]));
  },
);

itWorksInProportion(
  "thousands whose worker has vanished are taken over a few at a time",
  async () => {
    const { adapter } = await openStore();
    await start(adapter, "task", 10_000);
    await acquire(adapter, "task", 10_000, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const taken: number[] = [];
    for (let call = 0; call < 300; call++) {
      const jobs = await acquire(adapter, "task", 10);
      for (const { job, reclaimedFrom } of jobs) {
        expect(reclaimedFrom).toBe("w");
        taken.push(job.ordinal);
      }
    }
    // In the order of their creation, each once.
    expect(taken).toEqual([...new Set(taken)].sort((left, right) => left - right));
    expect(taken.length).toBe(3_000);
  },
);

/**
 * Makes the long payloads of a closed store unreadable. They go on in a chain of pages. Each of these now names a next one that does
 * not exist.
 */
const spoilLongPayloads = (filename: string): number => {
  const database = new BetterSqlite3Database(filename);
  database.pragma("wal_checkpoint(TRUNCATE)");
  const pageSize = Number(database.pragma("page_size", { simple: true }));
  const pages = database
    .prepare("SELECT pageno FROM dbstat WHERE pagetype = 'overflow'")
    .pluck()
    .all();
  database.close();
  const file = openSync(filename, "r+");
  for (const page of pages)
    writeSync(file, Buffer.alloc(4, 0xff), 0, 4, (Number(page) - 1) * pageSize);
  closeSync(file);
  return pages.length;
};

it("thousands of dependants of one sequence do not read its payload", async () => {
  const filename = temporaryFile();
  const before = await openStore(filename);
  const large = JSON.stringify("x".repeat(1_500_000));
  const blockerIds = await start(before.adapter, "large", 1, large);
  await before.provider.close();
  expect(spoilLongPayloads(filename)).toBeGreaterThan(100);
  const { adapter } = await openStore(filename);
  await expect(adapter.getJobs({ ids: blockerIds })).rejects.toThrow("is damaged");
  expect(await startWaiting(adapter, 2_000, blockerIds)).toHaveLength(2_000);
});

it("deletes a tree of thousands, and counts the deleted jobs", async () => {
  const { adapter } = await openStore();
  const [rootId = ""] = await start(adapter, "root");
  const member = aNewJob({ rootSequenceId: rootId, originId: rootId });
  await adapter.createJobs({ jobs: range(5_000).map(() => member) });
  const deleted = await adapter.runInTransaction((context) =>
    adapter.deleteSequences({ context, rootSequenceIds: [rootId] }),
  );
  expect(deleted).toMatchObject({ kind: "deleted", jobCount: 5_001 });
});

describe("with statistics from when there was one job", () => {
  const openWithOldStatistics = async () => {
    const store = await openStore();
    await start(store.adapter, "task");
    await store.provider.write((connection) => connection.exec("ANALYZE"));
    await start(store.adapter, "beside", 20_000);
    return store;
  };

  itWorksInProportion("jobs wait for others, and are released", async () => {
    const { adapter } = await openWithOldStatistics();
    const blockerIds = await start(adapter, "blocker", 10);
    await startWaiting(adapter, 500, blockerIds);
    expect((await adapter.getBlockers({ ids: blockerIds })).flat()).toEqual([]);
    const blockers = await acquire(adapter, "blocker", 10);
    const completions = blockers.map(({ job: { id, leaseVersion } }) => ({
      jobId: id,
      leaseVersion,
      outcome: { kind: "output", output: "1" } as const,
    }));
    const { unblocked } = await adapter.completeJobs({ workerId: "w", completions });
    expect(unblocked.length).toBe(500);
  });

  itWorksInProportion("finished trees are looked for and removed", async () => {
    const { adapter } = await openWithOldStatistics();
    for (let round = 0; round < 4; round++) {
      const completions = (await acquire(adapter, "beside", 500)).map(({ job }) => ({
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        outcome: { kind: "output", output: "1" } as const,
      }));
      await adapter.completeJobs({ workerId: "w", completions });
    }
    const ages = { completedForMs: 0, failedForMs: 0, cancelledForMs: 0 };
    expect(await adapter.deleteFinishedSequences({ limit: 2_000, ...ages })).toBe(2_000);
  });
});
