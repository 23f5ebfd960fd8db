import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createSqliteTimeTravel } from "@queuert/sqlite/test";
import { type TestKitStore, testKitSuite } from "queuert/testing";
import { describe, expect, it } from "vitest";
import type { OpenProvider } from "../src/testing.ts";
import { drivers } from "./drivers.ts";

const openWith = (openProvider: OpenProvider) => async () => {
  const folder = await mkdtemp(join(tmpdir(), "queuert-test-kit-"));
  const stateProvider = await openProvider(join(folder, "jobs.db"));
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  return {
    stateAdapter,
    timeTravel: createSqliteTimeTravel(stateAdapter),
    close: async () => {
      await stateProvider.close();
      await rm(folder, { recursive: true });
    },
  } satisfies TestKitStore;
};

describe.each(drivers)("%s", (_name, openProvider) => {
  const open = openWith(openProvider);
  testKitSuite({ open });

  it("refuses an adapter of another store, and production", async () => {
    const { stateAdapter, close } = await open();
    expect(() => createSqliteTimeTravel({ ...stateAdapter })).toThrow("not a copy");
    const before = process.env["NODE_ENV"];
    process.env["NODE_ENV"] = "production";
    try {
      expect(() => createSqliteTimeTravel(stateAdapter)).toThrow("is for tests");
    } finally {
      process.env["NODE_ENV"] = before;
    }
    await close();
  });
});
