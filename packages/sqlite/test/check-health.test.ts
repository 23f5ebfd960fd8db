import { truncateSync, writeFileSync } from "node:fs";
import { StatementTimeoutError } from "queuert/internal";
import { describe, expect, it } from "vitest";
import { createSqliteStateAdapter, type SqliteConnection } from "../src/index.ts";
import { aNewJob, openProvider, openStore, temporaryFile } from "./open-store.ts";

describe("the health of a file", () => {
  it("names a large log beside it", async () => {
    const { adapter, filename } = await openStore();
    const check = async (isThorough = false) =>
      (await adapter.operator?.checkHealth?.({ longTransactionMs: 1, isThorough })) ?? [];
    expect(await check(true)).toEqual([]);
    writeFileSync(`${filename}-wal`, "", { flag: "a" });
    truncateSync(`${filename}-wal`, 300 * 1_024 * 1_024);
    const found = await check();
    truncateSync(`${filename}-wal`, 0);
    expect(found.map(({ level, text }) => `${level} ${text}`)).toEqual([
      expect.stringMatching(/^warn the log beside the file has 300 MB/),
    ]);
  });
});

describe("a search with a limit of time", () => {
  it("stops between two steps", async () => {
    const provider = await openProvider(temporaryFile());
    let reads = 0;
    const adapter = await createSqliteStateAdapter({
      stateProvider: {
        ...provider,
        read: (step) =>
          provider.read((connection: SqliteConnection) => {
            reads++;
            return step(connection);
          }),
      },
    });
    for (let created = 0; created < 30_000; created += 5_000) {
      await adapter.createJobs({ jobs: Array.from({ length: 5_000 }, () => aNewJob()) });
    }
    const absent = {
      field: "contains",
      of: ["input"],
      anyOf: ["nowhere"],
      negated: false,
    } as const;
    const page = { order: "asc", limit: 1, afterOrdinal: null, ordinalMax: null } as const;
    const search = (timeoutMs?: number) => {
      reads = 0;
      return adapter.operator?.examineJobs?.({
        ...{ ...page, conditions: [absent], examineMax: 30_000, timeoutMs },
      });
    };
    expect(await search()).toMatchObject({ jobs: [], examined: 30_000 });
    const whole = reads;
    await expect(search(0)).rejects.toBeInstanceOf(StatementTimeoutError);
    expect(reads).toBeLessThan(whole);
    const count = { conditions: [absent], max: 10, examineMax: 30_000, timeoutMs: 0 };
    await expect(adapter.operator?.countJobs?.(count)).rejects.toBeInstanceOf(
      StatementTimeoutError,
    );
  });
});
