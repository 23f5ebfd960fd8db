// The rate of SQLite itself: hand-written loops over better-sqlite3, with one table of the columns that every queue needs.
// WAL and synchronous=NORMAL are as in the measured cases.
import type BetterSqlite3 from "better-sqlite3";
import { createJobIdGenerator } from "queuert/internal";
import { BetterSqlite3Database } from "../test/better-sqlite3.ts";
import { payloadText, rate } from "./measure.ts";

const nextId = createJobIdGenerator();
const leaseMs = 30_000;

const open = (filename: string): BetterSqlite3.Database => {
  const db = new BetterSqlite3Database(filename);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec(`
CREATE TABLE job (
  ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type_name TEXT NOT NULL, status TEXT NOT NULL,
  input TEXT NOT NULL, output TEXT, scheduled_at INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT, leased_until INTEGER, finished_at INTEGER);
CREATE INDEX job_due ON job (type_name, scheduled_at) WHERE status = 'pending';
CREATE TABLE user_row (id INTEGER PRIMARY KEY, text TEXT NOT NULL);`);
  return db;
};

const inTransaction = (db: BetterSqlite3.Database, run: () => void): (() => void) => {
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  return () => {
    begin.run();
    run();
    commit.run();
  };
};

const inserter = (db: BetterSqlite3.Database, perTransaction: number): (() => void) => {
  const insert = db.prepare(
    "INSERT INTO job (id, type_name, status, input, scheduled_at) VALUES (?, 'noop', 'pending', ?, ?)",
  );
  return inTransaction(db, () => {
    for (let index = 0; index < perTransaction; index++) {
      insert.run(nextId(), payloadText, Date.now());
    }
  });
};

/** Starts so many jobs, so many in each transaction. */
export const floorStart = (filename: string, count: number, perTransaction: number): number => {
  const db = open(filename);
  const insert = inserter(db, perTransaction);
  const result = rate(count, () => {
    for (let done = 0; done < count; done += perTransaction) insert();
  });
  db.close();
  return result;
};

/** Acquires and completes so many in each transaction; with one at a time, each also writes a row of the user's. */
export const floorDrain = (
  filename: string,
  count: number,
  perTransaction: number,
  writesRow: boolean,
): number => {
  const db = open(filename);
  const insert = inserter(db, 1_000);
  for (let done = 0; done < count; done += 1_000) insert();
  const acquire = db
    .prepare(
      `UPDATE job SET status = 'running', attempt = attempt + 1, leased_by = 'w', leased_until = ?
       WHERE ordinal IN (SELECT ordinal FROM job WHERE status = 'pending' AND type_name = 'noop' AND scheduled_at <= ?
                         ORDER BY scheduled_at, ordinal LIMIT ${perTransaction})
       RETURNING id, input`,
    )
    .raw();
  const complete = db.prepare(
    `UPDATE job SET status = 'completed', output = ?, finished_at = ?, leased_by = NULL, leased_until = NULL
     WHERE id = ? AND status = 'running'`,
  );
  const writeRow = db.prepare("INSERT INTO user_row (text) VALUES (?)");
  const step = inTransaction(db, () => {
    const now = Date.now();
    // The driver's types speak of unknown rows: these are the two columns of RETURNING.
    for (const [id, input] of acquire.all(now + leaseMs, now) as [string, string][]) {
      JSON.parse(input);
      if (writesRow) writeRow.run("done");
      complete.run('{"ok":true}', Date.now(), id);
    }
  });
  const result = rate(count, () => {
    for (let drained = 0; drained < count; drained += perTransaction) step();
  });
  db.close();
  return result;
};
