import { createSqliteStateAdapter, migrateSqliteSchema } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import type BetterSqlite3 from "better-sqlite3";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";
import type { NamedProcess, OpenStore, Store } from "./store.ts";

const require = createRequire(import.meta.url);

// better-sqlite3 12 is for Node 20, the alias for newer ones: the same package, without types of its own.
const Driver = require(
  Number(process.versions.node.split(".")[0]) >= 22 ? "better-sqlite3-node22" : "better-sqlite3",
) as typeof BetterSqlite3;

const canListHandles = existsSync("/proc/self/fd");

/** Undefined for a file that was closed in the meantime. */
const readTarget = (link: string): string | undefined => {
  try {
    return readlinkSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** The open handles of a process on the file and the two beside it. */
const listHandles = ({ name, pid }: NamedProcess, path: string): readonly string[] => {
  const folder = `/proc/${pid}/fd`;
  // Of a process that has ended there are none.
  const handles = existsSync(folder) ? readdirSync(folder) : [];
  return handles.flatMap((handle) =>
    readTarget(join(folder, handle))?.startsWith(path) === true ? [name] : [],
  );
};

/** `url` is the path of the file. */
const open = async (url: string): Promise<OpenStore> => {
  const stateProvider = await createBetterSqlite3Provider({ filename: url, driver: Driver });
  // Of its contexts nothing is used here but by `writeRow`.
  const state = (await createSqliteStateAdapter({ stateProvider })) as unknown as AnyStateAdapter;
  return {
    state,
    migrate: async () => void (await migrateSqliteSchema({ stateProvider })),
    // There is one writer: for every process that has the file.
    exhaust: (ms) => state.runInTransaction(() => sleep(ms)),
    writeRow: (context, { jobId, leaseVersion, path }) => {
      const { client } = context as { readonly client: BetterSqlite3.Database };
      client.prepare("INSERT INTO user_row VALUES (?, ?, ?)").run(jobId, leaseVersion, path);
      return Promise.resolve();
    },
    measure: () => {
      const files = [url, `${url}-wal`].filter((path) => existsSync(path));
      const storedBytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
      return Promise.resolve({ storedBytes, deadRows: null });
    },
    readRows: () => {
      const db = new Driver(url, { readonly: true });
      try {
        const text =
          "SELECT job_id AS jobId, lease_version AS leaseVersion, path FROM user_row ORDER BY rowid";
        // As the columns are created below.
        return Promise.resolve(db.prepare(text).all() as UserRow[]);
      } finally {
        db.close();
      }
    },
    listConnected: (processes) =>
      Promise.resolve(canListHandles ? processes.flatMap((each) => listHandles(each, url)) : null),
    close: () => stateProvider.close(),
  };
};

/** The content of one file replaces that of another, which processes may have open. */
export const copyInto = async (from: string, to: string): Promise<void> => {
  const db = new Driver(from, { readonly: true });
  try {
    await db.backup(to);
  } finally {
    db.close();
  }
};

const prepare = async (url: string): Promise<void> => {
  await (await open(url)).close();
  const db = new Driver(url);
  db.exec("CREATE TABLE user_row (job_id TEXT, lease_version INTEGER, path TEXT)");
  db.close();
};

export const store: Store = { prepare, open };
