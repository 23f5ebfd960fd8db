// One writer, many readers: which calls wait, which writes are visible, and that the event loop goes on.
import { describe, expect, it } from "vitest";
import { createQueuert, defineUnionJobTypes, ProcessMisuseError } from "queuert";
import {
  createSqliteStateAdapter,
  type SqliteConnection,
  SqliteTransactionEndedError,
} from "../src/index.ts";
import { aNewJob, openProvider, openStore, temporaryFile } from "./open-store.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("while a transaction is open", () => {
  it("reads outside it do not wait, and do not see uncommitted writes", async () => {
    const { adapter } = await openStore();
    await adapter.runInTransaction(async (context) => {
      const [created] = await adapter.createJobs({ context, jobs: [aNewJob()] });
      const id = created?.job.id ?? "";
      expect(await adapter.getJobs({ ids: [id] })).toEqual([undefined]);
      expect(await adapter.getJobs({ context, ids: [id] })).toMatchObject([{ id }]);
      expect((await adapter.summarize({ runningLongMs: 1 })).counts).toEqual([]);
      await adapter.provideContext(async (outside) => {
        expect(await adapter.getJobs({ context: outside, ids: [id] })).toEqual([undefined]);
      });
    });
  });

  it("a worker without due jobs does not need the writer", async () => {
    const { adapter } = await openStore();
    await adapter.runInTransaction(async () => {
      const types = [{ typeName: "task", leaseMs: 1_000, limit: 1 }];
      expect(await adapter.acquireJobs({ workerId: "w", limit: 1, types })).toMatchObject({
        jobs: [],
        nextDueInMs: null,
      });
      expect(await adapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
    });
  });

  it("a write outside it waits, and is not undone with it", async () => {
    const { adapter } = await openStore();
    let outside: Promise<unknown> = Promise.resolve();
    const inside = adapter.runInTransaction(async () => {
      outside = adapter.createJobs({ jobs: [aNewJob()] });
      await sleep(20);
      throw new Error("rolled back on purpose");
    });
    await expect(inside).rejects.toThrow("rolled back on purpose");
    await outside;
    expect((await adapter.summarize({ runningLongMs: 1 })).counts).toMatchObject([{ count: 1 }]);
  });

  it("writers are served in the order in which they asked", async () => {
    const { adapter } = await openStore();
    const served: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        adapter.runInTransaction(async () => {
          served.push(index);
          await sleep(1);
        }),
      ),
    );
    expect(served).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });
});

describe("a write without the context of the transaction around it", () => {
  it("is refused at once", async () => {
    const { adapter: stateAdapter } = await openStore();
    const queuert = await createQueuert({
      stateAdapter,
      jobTypeDefinitions: defineUnionJobTypes<{ task: { input: null; output: null } }>(),
    });
    // Code that nests need not do so from its first transaction on.
    for (let count = 0; count < 150; count++) await queuert.transaction(async () => undefined);
    await queuert.transaction(async () => {
      await Promise.resolve();
      for (const call of [
        () => queuert.triggerJobs({ ids: ["a"] }),
        () => queuert.retryFailedJobs({ ids: ["a"] }),
        () => queuert.startJobSequence({ autocommit: true, typeName: "task", input: null }),
        () => queuert.transaction(async () => undefined),
      ]) {
        await expect(call()).rejects.toThrow(ProcessMisuseError);
      }
    });
    await queuert.close();
  });

  it("waits for busyTimeoutMs once, if it reaches the store", async () => {
    const busyTimeoutMs = 100;
    const stateProvider = await openProvider(temporaryFile(), { busyTimeoutMs });
    let attempts = 0;
    const counting = {
      ...stateProvider,
      write: <T>(step: (connection: SqliteConnection) => T): Promise<T> => {
        attempts++;
        return stateProvider.write(step);
      },
    };
    const adapter = await createSqliteStateAdapter({ stateProvider: counting });
    attempts = 0;
    await adapter.runInTransaction(async () => {
      const creating = adapter.createJobs({ jobs: [aNewJob()] });
      await expect(creating).rejects.toMatchObject({ holder: "this_process", waitedMs: 100 });
    });
    expect(attempts).toBe(1);
  });
});

describe("a transaction that has ended", () => {
  it("its client and its context cannot be used, whether it committed or rolled back", async () => {
    const { adapter } = await openStore();
    const kept = await adapter.runInTransaction(async (context) => context);
    await adapter.runInTransaction(async () => {
      expect(() => kept.client.prepare("SELECT 1")).toThrow(SqliteTransactionEndedError);
      expect(await adapter.isInTransaction(kept)).toBe(false);
      await expect(adapter.getJobs({ context: kept, ids: ["a"] })).rejects.toThrow(
        SqliteTransactionEndedError,
      );
    });
  });

  it("by the callback itself is an error", async () => {
    const { adapter } = await openStore();
    const committed = adapter.runInTransaction(async ({ client }) => {
      client.exec("COMMIT");
    });
    await expect(committed).rejects.toThrow(SqliteTransactionEndedError);
    await adapter.createJobs({ jobs: [aNewJob()] });
  });

  it("a commit that a deferred constraint refuses rejects, and leaves the writer free", async () => {
    const { adapter } = await openStore();
    await adapter.runInTransaction(async ({ client }) => {
      client.exec(`
CREATE TABLE parent (id INTEGER PRIMARY KEY);
CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);`);
    });
    const refused = adapter.runInTransaction(async (context) => {
      await adapter.createJobs({ context, jobs: [aNewJob()] });
      context.client.exec("INSERT INTO child VALUES (1)");
    });
    await expect(refused).rejects.toThrow(/FOREIGN KEY/);
    expect((await adapter.summarize({ runningLongMs: 1 })).counts).toEqual([]);
    await adapter.createJobs({ jobs: [aNewJob()] });
  });
});

describe("the event loop", () => {
  it("turns while a backlog is drained without a pause", async () => {
    const { adapter } = await openStore();
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    // Of the processor: on a busy machine, other processes have the rest of the time.
    const begun = process.cpuUsage();
    const usedMs = () => {
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1_000;
    };
    let calls = 0;
    while (usedMs() < 300) {
      await adapter.createJobs({ jobs: [aNewJob()] });
      calls++;
    }
    clearInterval(timer);
    expect(calls).toBeGreaterThan(20);
    // 60 on a machine with nothing else to do.
    expect(turns).toBeGreaterThan(10);
  });

  it("turns while another process has the writer", async () => {
    const { adapter, filename } = await openStore();
    const other = await openStore(filename);
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await other.adapter.runInTransaction(async () => {
      const waiting = adapter.createJobs({ jobs: [aNewJob()] });
      await sleep(200);
      setTimeout(() => undefined, 0);
      expect(turns).toBeGreaterThan(10);
      // Awaited below: this transaction has to end first.
      void waiting.then(() => turns++);
    });
    clearInterval(timer);
    await adapter.createJobs({ jobs: [aNewJob()] });
    expect((await adapter.summarize({ runningLongMs: 1 })).counts).toMatchObject([{ count: 2 }]);
  });
});
