import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extendWithState, type StateAdapterHarness, type StateTestContext } from "queuert/testing";
import type { TestAPI } from "vitest";
import type { SqliteConnection } from "./connection.ts";
import { createSqliteStateAdapter } from "./create-sqlite-state-adapter.ts";
import { tablePrefixDefault } from "./names.ts";
import { createBetterSqlite3Provider } from "./providers/better-sqlite3.ts";
import type { SqliteStateProvider } from "./state-provider.ts";

/** A provider that can be closed, as the ready-made ones are. */
export type ClosableProvider = SqliteStateProvider & { readonly close: () => Promise<void> };

/** Opens a provider for a file that may not exist yet. */
export type OpenProvider = (filename: string) => Promise<ClosableProvider>;

/** The harness of the state suites and the behaviour suites, with rows of the user beside the jobs. */
export interface SqliteHarness extends StateAdapterHarness {
  readonly userRows: {
    readonly insert: (context: object, key: string) => Promise<void>;
    readonly list: () => Promise<readonly string[]>;
  };
}

const openByDefault: OpenProvider = (filename) =>
  // Tests kill processes at most: nothing here has to outlive the machine.
  createBetterSqlite3Provider({ filename, synchronous: "NORMAL" });

// A table of the user, for transactions that write both rows and jobs.
const userTable = "user_row";

/** A store in a file of its own in a temporary directory, opened twice, as two processes would. */
export const openSqliteState = async (
  openProvider: OpenProvider = openByDefault,
): Promise<SqliteHarness> => {
  const directory = await mkdtemp(join(tmpdir(), "queuert-sqlite-"));
  const filename = join(directory, "jobs.db");
  const stateProvider = await openProvider(filename);
  const secondProvider = await openProvider(filename);
  const execute = (sql: string): Promise<void> =>
    stateProvider.runInTransaction(async (context) =>
      stateProvider.connectionOf(context).exec(sql),
    );
  // A transaction is of one of the two adapters; the suites do not say of which.
  const connectionOf = (context: object): SqliteConnection =>
    (stateProvider.isInTransaction(context) ? stateProvider : secondProvider).connectionOf(context);
  await execute(`CREATE TABLE ${userTable} (position INTEGER PRIMARY KEY, key TEXT NOT NULL)`);
  return {
    stateAdapter: await createSqliteStateAdapter({ stateProvider }),
    secondStateAdapter: await createSqliteStateAdapter({ stateProvider: secondProvider }),
    poisonTransaction: async (context) => {
      try {
        connectionOf(context).exec("SELECT * FROM a_table_that_does_not_exist");
      } catch (error) {
        // The failure is intended: the case checks its effects.
        if (!(error instanceof Error)) throw error;
      }
    },
    userRows: {
      insert: async (context, key) => {
        const insert = `INSERT INTO ${userTable} (key) VALUES (?)`;
        connectionOf(context).prepare(insert).run(key);
      },
      list: () =>
        stateProvider.provideContext(async (context) => {
          const select = `SELECT key FROM ${userTable} ORDER BY position`;
          const rows = stateProvider.connectionOf(context).prepare(select).all();
          return rows.map(([key]) => String(key));
        }),
    },
    clear: () =>
      execute(`
DELETE FROM ${tablePrefixDefault}job_blocker; DELETE FROM ${tablePrefixDefault}job; DELETE FROM ${tablePrefixDefault}worker;
DELETE FROM ${tablePrefixDefault}action; DELETE FROM ${tablePrefixDefault}metric;
DELETE FROM ${tablePrefixDefault}pause;
DELETE FROM ${tablePrefixDefault}job_limit; DELETE FROM ${tablePrefixDefault}limit_key;
DELETE FROM ${tablePrefixDefault}limit_turn;
DELETE FROM ${tablePrefixDefault}schedule_tick; DELETE FROM ${tablePrefixDefault}schedule; DELETE FROM ${userTable};`),
    close: async () => {
      await stateProvider.close();
      await secondProvider.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Fixtures of a SQLite store, empty at the start of each test. */
export const extendWithStateSqlite = <TContext extends object>(
  it: TestAPI<TContext>,
  openProvider?: OpenProvider,
): TestAPI<TContext & StateTestContext> => extendWithState(it, () => openSqliteState(openProvider));
