// Stores for the tests of this package: each has a file of its own, closed and removed afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEntryJob, StateAdapter } from "queuert/internal";
import { onTestFinished } from "vitest";
import { createSqliteStateAdapter, type SqliteConnection } from "../src/index.ts";
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

const watchStatements = (
  connection: SqliteConnection,
  onPrepare: (sql: string) => void,
): SqliteConnection => ({
  prepare: (sql) => {
    onPrepare(sql);
    return connection.prepare(sql);
  },
  exec: (sql) => connection.exec(sql),
  get inTransaction() {
    return connection.inTransaction;
  },
});

/** As `openStore`, and tells of each statement before it runs. */
export const openWatched = async (onPrepare: (sql: string) => void) => {
  const wrapped = new Map<SqliteConnection, SqliteConnection>();
  const wrap = (connection: SqliteConnection): SqliteConnection => {
    const known = wrapped.get(connection) ?? watchStatements(connection, onPrepare);
    wrapped.set(connection, known);
    return known;
  };
  const provider = await openProvider(temporaryFile());
  const stateProvider: typeof provider = {
    ...provider,
    connectionOf: (context) => wrap(provider.connectionOf(context)),
    write: (step) => provider.write((connection) => step(wrap(connection))),
    read: (step) => provider.read((connection) => step(wrap(connection))),
  };
  const adapter: SqliteTestAdapter = await createSqliteStateAdapter({ stateProvider });
  return { provider, adapter };
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
