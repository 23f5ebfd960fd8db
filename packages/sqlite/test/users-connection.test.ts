// Statements of the user on the connection with which Queuert writes. They may cost a wait, and never data.
import type BetterSqlite3 from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createSqliteStateAdapter,
  SqliteFullError,
  SqlitePragmaError,
  SqliteTransactionEndedError,
} from "../src/index.ts";
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { StateNotInTransactionError } from "queuert";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import { aNewJob, openStore, type SqliteTestAdapter, temporaryFile } from "./open-store.ts";

const openDatabase = (filename: string = temporaryFile()): BetterSqlite3.Database => {
  const database = new BetterSqlite3Database(filename, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  database.exec("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY)");
  onTestFinished(() => void database.close());
  return database;
};

const openOn = async (database: BetterSqlite3.Database, busyTimeoutMs = 5_000) => {
  const stateProvider = await createBetterSqlite3Provider({ database, busyTimeoutMs });
  onTestFinished(() => stateProvider.close());
  const adapter: SqliteTestAdapter = await createSqliteStateAdapter({
    stateProvider,
    connectionRetryConfig: { maxRetries: 0 },
  });
  return adapter;
};

describe("a transaction that the user has begun", () => {
  it("is waited for, and not touched", async () => {
    const database = openDatabase();
    const adapter = await openOn(database);
    database.exec("BEGIN; INSERT INTO account DEFAULT VALUES");
    const creating = adapter.createJobs({ jobs: [aNewJob()] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(database.inTransaction).toBe(true);
    database.exec("COMMIT");
    expect((await creating).length).toBe(1);
    expect(database.prepare("SELECT count(*) FROM account").pluck().get()).toBe(1);
  });

  it("that stays open is reported, and stays open", async () => {
    const database = openDatabase();
    const adapter = await openOn(database, 30);
    database.exec("BEGIN; INSERT INTO account DEFAULT VALUES");
    for (const call of [
      () => adapter.createJobs({ jobs: [aNewJob()] }),
      () => adapter.runInTransaction(async () => undefined),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: "QUEUERT_SQLITE_BUSY",
        holder: "your_transaction",
      });
    }
    database.exec("COMMIT");
    expect(database.prepare("SELECT count(*) FROM account").pluck().get()).toBe(1);
    await adapter.createJobs({ jobs: [aNewJob()] });
  });
});

describe("a transaction that has ended before its callback", () => {
  it("by the user: no later write is stored", async () => {
    const { adapter } = await openStore();
    await adapter.runInTransaction(async ({ client }) => client.exec("CREATE TABLE account (id)"));
    const rolledBack = adapter.runInTransaction(async (context) => {
      context.client.exec("ROLLBACK");
      const creating = adapter.createJobs({ context, jobs: [aNewJob()] });
      await expect(creating).rejects.toThrow(StateNotInTransactionError);
      expect(() => context.client.exec("INSERT INTO account VALUES (1)")).toThrow(
        SqliteTransactionEndedError,
      );
    });
    await expect(rolledBack).rejects.toThrow(SqliteTransactionEndedError);
    expect((await adapter.summarize({ runningLongMs: 1 })).counts).toEqual([]);
  });

  it("by SQLite, when the disk is full: the error names the reason, and no later write is stored", async () => {
    const { adapter, provider } = await openStore();
    const large = JSON.stringify("x".repeat(100_000));
    const setMaxPages = (more: number): Promise<void> =>
      provider.write((connection) => {
        const pages = Number(connection.prepare("PRAGMA page_count").get()?.[0]);
        connection.prepare(`PRAGMA max_page_count = ${pages + more}`).get();
      });
    await setMaxPages(3);
    const jobs = [aNewJob({ input: large }), aNewJob()];
    await expect(adapter.createJobs({ jobs })).rejects.toThrow(SqliteFullError);
    const caught = adapter.runInTransaction(async (context) => {
      await expect(adapter.createJobs({ context, jobs })).rejects.toThrow(SqliteFullError);
      const small = adapter.createJobs({ context, jobs: [aNewJob()] });
      await expect(small).rejects.toThrow(StateNotInTransactionError);
    });
    await expect(caught).rejects.toThrow(/disk/);
    expect((await adapter.summarize({ runningLongMs: 1 })).counts).toEqual([]);
    await setMaxPages(1_000);
    await adapter.createJobs({ jobs });
  });
});

describe("settings", () => {
  it("a connection that locks out every other is refused", async () => {
    const database = openDatabase();
    database.pragma("locking_mode = EXCLUSIVE");
    await expect(createBetterSqlite3Provider({ database })).rejects.toThrow(SqlitePragmaError);
  });

  it("a reader of another file, or the writer itself, is refused", async () => {
    const database = openDatabase();
    for (const reader of [openDatabase(), database, {} as never]) {
      await expect(createBetterSqlite3Provider({ database, reader })).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "reader",
      });
    }
    const reader = openDatabase(database.name);
    await createBetterSqlite3Provider({ database, reader });
  });

  it("integers as bigints, and rows in any order, change no result", async () => {
    const database = openDatabase();
    database.defaultSafeIntegers(true);
    database.pragma("reverse_unordered_selects = ON");
    database.pragma("recursive_triggers = ON");
    const adapter = await openOn(database);
    const created = await adapter.createJobs({ jobs: [aNewJob(), aNewJob(), aNewJob()] });
    const types = [{ typeName: "task", leaseMs: 60_000, limit: 3 }];
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 3, types });
    expect(jobs.map(({ job }) => job.id)).toEqual(created.map(({ job }) => job.id));
    const { results } = await adapter.completeJobs({
      workerId: "w",
      completions: jobs.map(({ job: { id, leaseVersion } }) => ({
        jobId: id,
        leaseVersion,
        outcome: { kind: "output", output: "1" },
      })),
    });
    expect(results.map(({ kind }) => kind)).toEqual(["completed", "completed", "completed"]);
  });
});
