import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidOptionError } from "queuert/internal";
import { describe, expect, it } from "vitest";
import {
  createSqliteStateAdapter,
  SqliteBusyError,
  SqliteCannotOpenError,
  SqliteClosedError,
  SqliteDuplicateIdError,
  SqliteInMemoryError,
  SqliteNotADatabaseError,
  SqliteNotWritableError,
  SqlitePragmaError,
} from "../src/index.ts";
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { createNodeSqliteProvider } from "../src/providers/node-sqlite.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import {
  aNewJob,
  openProvider,
  openStore,
  temporaryDirectory,
  temporaryFile,
} from "./open-store.ts";

const driver = BetterSqlite3Database;

it.each([undefined, {}, Promise.resolve({})])(
  "something else than a provider",
  async (stateProvider) => {
    const creating = createSqliteStateAdapter({ stateProvider } as never);
    await expect(creating).rejects.toMatchObject({
      code: "QUEUERT_INVALID_OPTION",
      option: "stateProvider",
    });
  },
);

it.each([null, "jobs.db", {}, { prepare: () => {}, exec: () => {} }])(
  "something else than a connection",
  async (database) => {
    for (const create of [createBetterSqlite3Provider, createNodeSqliteProvider]) {
      await expect(create({ database } as never)).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "database",
      });
    }
  },
);

it("a connection of the other driver", async () => {
  const database = new BetterSqlite3Database(":memory:");
  await expect(createNodeSqliteProvider({ database } as never)).rejects.toThrow(
    "give a `DatabaseSync` of node:sqlite",
  );
  database.close();
});

describe("a file", () => {
  it("that is not named", async () => {
    const opening = createBetterSqlite3Provider({ driver } as never);
    await expect(opening).rejects.toMatchObject({ option: "filename" });
  });

  it("in a directory that does not exist", async () => {
    const filename = join(temporaryDirectory(), "missing", "jobs.db");
    await expect(createBetterSqlite3Provider({ filename, driver })).rejects.toThrow(
      SqliteCannotOpenError,
    );
  });

  it("that has to exist and does not", async () => {
    const filename = temporaryFile();
    const opening = createBetterSqlite3Provider({ filename, driver, mustExist: true });
    await expect(opening).rejects.toThrow(SqliteCannotOpenError);
    expect(existsSync(filename)).toBe(false);
  });

  it("that holds something else is left as it is", async () => {
    const filename = temporaryFile();
    writeFileSync(filename, "a letter to a friend, longer than a header of SQLite: ".repeat(10));
    await expect(createBetterSqlite3Provider({ filename, driver })).rejects.toThrow(
      SqliteNotADatabaseError,
    );
  });

  // Root may write every file. An immutable connection behaves as a read-only medium.
  it("that may not be written", async () => {
    const { filename, provider } = await openStore();
    await provider.close();
    chmodSync(filename, 0o444);
    const database = new driver(filename, { readonly: true, timeout: 0 });
    const stateProvider = await createBetterSqlite3Provider({ database });
    const adapter = await createSqliteStateAdapter({ stateProvider });
    await expect(adapter.createJobs({ jobs: [aNewJob()] })).rejects.toThrow(SqliteNotWritableError);
    await stateProvider.close();
    database.close();
  });

  it.each([":memory:", "", " ", "file:jobs?mode=memory&cache=shared"])(
    "in memory: %j",
    async (filename) => {
      await expect(createBetterSqlite3Provider({ filename, driver })).rejects.toThrow(
        SqliteInMemoryError,
      );
    },
  );

  it("in another journal mode is refused, and switched when asked to", async () => {
    const filename = temporaryFile();
    const owner = new driver(filename);
    owner.exec("CREATE TABLE account (id INTEGER PRIMARY KEY)");
    await expect(createBetterSqlite3Provider({ filename, driver })).rejects.toThrow(
      SqlitePragmaError,
    );
    expect(owner.pragma("journal_mode", { simple: true })).toBe("delete");
    await openProvider(filename, { journalMode: "wal" });
    owner.close();
    const after = new driver(filename);
    expect(after.pragma("journal_mode", { simple: true })).toBe("wal");
    after.close();
  });
});

describe("a connection of the user's", () => {
  it("without foreign keys is refused and left as it is", async () => {
    const database = new driver(temporaryFile());
    database.pragma("foreign_keys = OFF");
    await expect(createBetterSqlite3Provider({ database })).rejects.toThrow(/foreign_keys/);
    expect(database.pragma("foreign_keys", { simple: true })).toBe(0);
    database.close();
  });

  it("keeps its settings, takes part in transactions, and stays open", async () => {
    const database = new driver(temporaryFile(), { timeout: 0 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = OFF");
    database.exec("CREATE TABLE account (id INTEGER PRIMARY KEY)");
    const stateProvider = await createBetterSqlite3Provider({ database });
    const adapter = await createSqliteStateAdapter({ stateProvider });
    await adapter.runInTransaction(async (context) => {
      database.exec("INSERT INTO account DEFAULT VALUES");
      await adapter.createJobs({ context, jobs: [aNewJob()] });
    });
    await stateProvider.close();
    expect(database.prepare("SELECT count(*) FROM account").pluck().get()).toBe(1);
    expect(database.pragma("synchronous", { simple: true })).toBe(0);
    database.close();
  });

  it("that blocks the process while it waits gets a warning that names the setting", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", onWarning);
    const database = new driver(temporaryFile(), { timeout: 5_000 });
    const stateProvider = await createBetterSqlite3Provider({ database });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(warnings.join()).toMatch(/busy_timeout/);
    await stateProvider.close();
    database.close();
  });
});

describe("a writer that is taken", () => {
  it("by another program for too long", async () => {
    const { filename, adapter } = await openStore(temporaryFile(), { busyTimeoutMs: 60 });
    const other = new driver(filename);
    other.exec("BEGIN IMMEDIATE");
    const error: unknown = await adapter
      .runInTransaction(async () => undefined)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SqliteBusyError);
    expect(error).toMatchObject({ holder: "another_program", waitedMs: 60 });
    other.exec("ROLLBACK");
    await adapter.createJobs({ jobs: [aNewJob()] });
    other.close();
  });

  it("by the very transaction that the caller is in", async () => {
    const { adapter, provider } = await openStore(temporaryFile(), { busyTimeoutMs: 60 });
    const nested = adapter.runInTransaction(() => provider.write(() => undefined));
    await expect(nested).rejects.toMatchObject({ holder: "this_process" });
    await adapter.createJobs({ jobs: [aNewJob()] });
  });
});

describe("options", () => {
  it.each(["1st_", "a-b", "sqlite_", "x".repeat(61), 'a"b'])(
    "tablePrefix %j",
    async (tablePrefix) => {
      const stateProvider = await openProvider(temporaryFile());
      await expect(createSqliteStateAdapter({ stateProvider, tablePrefix })).rejects.toThrow(
        InvalidOptionError,
      );
    },
  );

  it.each(["INTEGER", "TEXT); DROP TABLE x; --", "REAL", ""])("idType %j", async (idType) => {
    const stateProvider = await openProvider(temporaryFile());
    await expect(createSqliteStateAdapter({ stateProvider, idType })).rejects.toThrow(
      InvalidOptionError,
    );
  });

  it("an idGenerator that repeats an id stores nothing", async () => {
    const stateProvider = await openProvider(temporaryFile());
    const ids = ["a", "b", "a", "c", "d", "c"];
    const adapter = await createSqliteStateAdapter({
      stateProvider,
      idGenerator: () => ids.shift() ?? "",
    });
    const creating = adapter.createJobs({ jobs: [aNewJob(), aNewJob(), aNewJob()] });
    await expect(creating).rejects.toThrow(SqliteDuplicateIdError);
    expect(await adapter.getJobs({ ids: ["a", "b"] })).toEqual([undefined, undefined]);

    await adapter.runInTransaction(async (context) => {
      const again = adapter.createJobs({ context, jobs: [aNewJob(), aNewJob(), aNewJob()] });
      await expect(again).rejects.toThrow(/idGenerator/);
    });
    expect(await adapter.getJobs({ ids: ["c", "d"] })).toEqual([undefined, undefined]);
  });
});

describe("a provider that is closed", () => {
  it("refuses reads and writes, and closing it again is nothing", async () => {
    const { adapter, provider } = await openStore();
    await provider.close();
    await provider.close();
    await expect(adapter.getJobs({ ids: ["a"] })).rejects.toThrow(SqliteClosedError);
    await expect(adapter.createJobs({ jobs: [aNewJob()] })).rejects.toThrow(SqliteClosedError);
  });
});
