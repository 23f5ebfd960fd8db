// `bun:sqlite`: refusals everywhere, and a connection of the user in Bun. The suites of the contract run with it in Bun, too.
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import { type BunSqliteDatabase, createBunSqliteProvider } from "../src/providers/bun.ts";
import { loadBunSqlite } from "../src/providers/bun-types.ts";
import { isBun } from "./drivers.ts";
import { aNewJob, temporaryFile } from "./open-store.ts";

describe("bad input", () => {
  it.each([
    ["a database in memory", { filename: ":memory:" }, "QUEUERT_SQLITE_IN_MEMORY"],
    ["no filename", {}, "QUEUERT_INVALID_OPTION"],
    ["another connection", { database: { exec: () => undefined } }, "QUEUERT_INVALID_OPTION"],
    ["a driver that is none", { filename: "x.db", driver: "bun" }, "QUEUERT_INVALID_OPTION"],
  ])("is refused: %s", async (_, options, code) => {
    await expect(createBunSqliteProvider(options as never)).rejects.toMatchObject({ code });
  });
});

if (isBun) {
  const open = async (foreignKeys: "ON" | "OFF"): Promise<BunSqliteDatabase> => {
    const Database = await loadBunSqlite();
    const database = new Database(temporaryFile(), { create: true, readwrite: true });
    onTestFinished(() => database.close());
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ${foreignKeys}`);
    return database;
  };

  it("adopts a connection of the user, whose rows and jobs are committed together", async () => {
    const database = await open("ON");
    database.exec("CREATE TABLE account (id INTEGER PRIMARY KEY)");
    const stateProvider = await createBunSqliteProvider({ database });
    const adapter = await createSqliteStateAdapter({ stateProvider });
    const write = (ending: () => void): Promise<void> =>
      adapter.runInTransaction(async (context) => {
        context.client.exec("INSERT INTO account DEFAULT VALUES");
        await adapter.createJobs({ context, jobs: [aNewJob()] });
        ending();
      });
    await write(() => undefined);
    const rolledBack = new Error("rolled back on purpose");
    await expect(
      write(() => {
        throw rolledBack;
      }),
    ).rejects.toBe(rolledBack);
    const counts = "SELECT (SELECT count(*) FROM account), (SELECT count(*) FROM queuert_job)";
    expect(database.prepare(counts).values()).toEqual([[1, 1]]);
    await stateProvider.close();
  });

  it("refuses a connection of the user without foreign keys", async () => {
    const database = await open("OFF");
    const code = "QUEUERT_SQLITE_PRAGMA";
    await expect(createBunSqliteProvider({ database })).rejects.toMatchObject({ code });
  });
} else {
  it("is refused by name where the runtime has no `bun:sqlite`", async () => {
    const opening = createBunSqliteProvider({ filename: temporaryFile() });
    const code = "QUEUERT_SQLITE_DRIVER_MISSING";
    await expect(opening).rejects.toMatchObject({ code, driver: "bun:sqlite" });
  });
}
