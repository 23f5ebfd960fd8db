// Mistakes in options, in the file and in its tables have an error of their own.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  checkSqliteSchema,
  createSqliteStateAdapter,
  SqliteDamagedError,
  SqliteSchemaDriftError,
  SqliteSchemaTakenError,
} from "../src/index.ts";
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { createNodeSqliteProvider } from "../src/providers/node-sqlite.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import { aNewJob, openProvider, openStore, temporaryFile } from "./open-store.ts";

const driver = BetterSqlite3Database;

describe("options", () => {
  it.each([
    { synchronous: "OFF" },
    { synchronous: "normal" },
    { synchronous: null },
    { journalMode: "delete" },
    { busyTimeoutMs: "1000" },
    { busyTimeoutMs: Number.NaN },
    { busyTimeoutMs: -1 },
    { busyTimeoutMs: 2 ** 31 },
    { driver: { default: driver } },
  ])("%j", async (option) => {
    for (const create of [createBetterSqlite3Provider, createNodeSqliteProvider]) {
      const opening = create({ filename: temporaryFile(), ...option } as never);
      await expect(opening).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: Object.keys(option)[0],
      });
    }
  });

  it.each(["uuid", () => 1, () => "", () => "a\0b", () => "\ud800", async () => "a"])(
    "idGenerator %s",
    async (idGenerator) => {
      const stateProvider = await openProvider(temporaryFile());
      const creating = (async () => {
        const options = { stateProvider, idGenerator: idGenerator as () => string };
        const adapter = await createSqliteStateAdapter(options);
        await adapter.createJobs({ jobs: [aNewJob()] });
      })();
      await expect(creating).rejects.toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
    },
  );
});

describe("names that are taken", () => {
  it.each([
    ["", "CREATE TABLE job (id INTEGER)"],
    ["", "CREATE TABLE migration (name TEXT)"],
    ["", "CREATE TABLE migration (version INTEGER PRIMARY KEY, label TEXT)"],
    [
      "",
      "CREATE TABLE migration (version INTEGER, name TEXT, applied_at INTEGER); INSERT INTO migration VALUES (20240101, 'add-users', 0)",
    ],
    ["queuert_", "CREATE VIEW queuert_job AS SELECT 1"],
    ["queuert_", "CREATE VIEW queuert_migration AS SELECT 1 AS version"],
    ["queuert_", "CREATE TABLE mine (a); CREATE INDEX queuert_job_due ON mine (a)"],
  ])("prefix %j: %s", async (tablePrefix, sql) => {
    const stateProvider = await openProvider(temporaryFile());
    await stateProvider.write((connection) => connection.exec(sql));
    const schema = () =>
      stateProvider.read((connection) =>
        connection.prepare("SELECT name FROM sqlite_schema").all(),
      );
    const before = await schema();
    const creating = createSqliteStateAdapter({ stateProvider, tablePrefix });
    await expect(creating).rejects.toThrow(SqliteSchemaTakenError);
    expect(await schema()).toEqual(before);
  });

  it("a prefix in another case is the same store, as it is to SQLite", async () => {
    const { adapter, provider: stateProvider } = await openStore();
    await adapter.createJobs({ jobs: [aNewJob()] });
    const other = await createSqliteStateAdapter({ stateProvider, tablePrefix: "QUEUERT_" });
    expect((await other.summarize({ runningLongMs: 1 })).counts).toMatchObject([{ count: 1 }]);
    await checkSqliteSchema({ stateProvider, tablePrefix: "QUEUERT_" });
  });
});

describe("a file", () => {
  it.each(["queuert_job", "queuert_job_blocker"])("that has lost %s", async (table) => {
    const { adapter, provider } = await openStore();
    await provider.write((connection) => connection.exec(`DROP TABLE ${table}`));
    const calls = [
      () => adapter.summarize({ runningLongMs: 1 }),
      () => adapter.getBlockers({ ids: ["a"] }),
      () =>
        adapter.runInTransaction((context) =>
          adapter.deleteSequences({ context, rootSequenceIds: ["a"] }),
        ),
    ];
    const outcomes = await Promise.allSettled(calls.map((call) => call()));
    const reasons = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as unknown] : [],
    );
    expect(reasons.length).toBeGreaterThan(1);
    for (const reason of reasons) expect(reason).toBeInstanceOf(SqliteSchemaDriftError);
  });

  it.each([
    [
      "is cut off",
      (filename: string) => writeFileSync(filename, readFileSync(filename).subarray(0, 20_000)),
    ],
    ["has a page of rubbish", (filename: string) => overwrite(filename, 100)],
  ])("that %s", async (_, damage) => {
    const { filename, adapter, provider } = await openStore();
    await adapter.createJobs({ jobs: Array.from({ length: 2_000 }, () => aNewJob()) });
    await provider.close();
    damage(filename);
    const using = async (): Promise<void> => {
      const again = await openStore(filename);
      await again.adapter.createJobs({ jobs: [aNewJob()] });
    };
    await expect(using()).rejects.toThrow(SqliteDamagedError);
  });
});

const overwrite = (filename: string, position: number): void => {
  const file = openSync(filename, "r+");
  writeSync(file, Buffer.alloc(3_000, 0xff), 0, 3_000, position);
  closeSync(file);
};
