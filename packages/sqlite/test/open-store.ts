// Stores for the tests of this package: each has a file of its own, closed and removed afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEntryJob, StateAdapter } from "queuert/internal";
import { onTestFinished } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import {
  createBetterSqlite3Provider,
  type BetterSqlite3Context,
  type FileSettings,
} from "../src/providers/better-sqlite3.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";

/** A directory that is removed after the test. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "queuert-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

export const temporaryFile = (): string => join(temporaryDirectory(), "jobs.db");

/** A provider that is closed after the test. */
export const openProvider = async (filename: string, settings: FileSettings = {}) => {
  const provider = await createBetterSqlite3Provider({
    filename,
    synchronous: "NORMAL",
    driver: BetterSqlite3Database,
    ...settings,
  });
  onTestFinished(() => provider.close());
  return provider;
};

export type SqliteTestAdapter = StateAdapter<BetterSqlite3Context, BetterSqlite3Context, string>;

/** A provider and an adapter on it. */
export const openStore = async (
  filename: string = temporaryFile(),
  settings: FileSettings = {},
) => {
  const provider = await openProvider(filename, settings);
  const adapter: SqliteTestAdapter = await createSqliteStateAdapter({ stateProvider: provider });
  return { filename, provider, adapter };
};

export const aNewJob = (job: Partial<NewEntryJob> = {}): NewEntryJob => ({
  kind: "entry",
  typeName: "task",
  input: "{}",
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
  ...job,
});
