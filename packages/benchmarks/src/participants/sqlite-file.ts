// The parts that the participants on SQLite share: the driver, the settings, the user's table, the
// view from outside.
import BetterSqlite3 from "better-sqlite3";
import { drainedAtBy, type Inspector, type Target } from "./participant.ts";

const isNewNode = Number(process.versions.node.split(".")[0]) >= 22;

// better-sqlite3 12 runs on Node 20, 13 on newer; they have the same API.
export const SqliteDriver: typeof BetterSqlite3 = isNewNode
  ? // An alias that the compiler has no types for.
    ((await import("better-sqlite3-node22" as string)) as { default: typeof BetterSqlite3 }).default
  : BetterSqlite3;

/** With the settings that every participant on SQLite has. */
export const openFile = (filename: string): BetterSqlite3.Database => {
  const db = new SqliteDriver(filename, { timeout: 5_000 });
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  return db;
};

export const createUserRows = ({ url }: Target): void => {
  const db = openFile(url);
  db.exec("CREATE TABLE user_row (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  db.close();
};

/** `unfinished`: each a table and a condition, as after FROM, in the order in which a job meets them. */
export const inspectSqlite = ({ url }: Target, unfinished: readonly string[]): Inspector => {
  const db = openFile(url);
  const ask = (sql: string): number => db.prepare(sql).pluck().get() as number; // Each is a count.
  const hasRows = ask("SELECT count(*) FROM sqlite_schema WHERE name = 'user_row'") > 0;
  const looks = unfinished.map((from) => {
    const statement = db.prepare(`SELECT EXISTS (SELECT 1 FROM ${from})`).pluck();
    return async (): Promise<boolean> => statement.get() === 1;
  });
  return {
    unfinishedCount: async () =>
      unfinished.reduce((sum, from) => sum + ask(`SELECT count(*) FROM ${from}`), 0),
    drainedAt: () => drainedAtBy(looks),
    writtenCount: async () => (hasRows ? ask("SELECT count(*) FROM user_row") : undefined),
    settle: async () => {
      db.exec("ANALYZE");
      db.pragma("wal_checkpoint(TRUNCATE)");
    },
    close: async () => {
      db.close();
    },
  };
};
