// Hand-written loops over better-sqlite3: one table with the columns that a queue cannot do
// without. One transaction for a hundred jobs, or for one if each writes a row of the user's.
import { setImmediate as turn } from "node:timers/promises";
import type BetterSqlite3 from "better-sqlite3";
import { createJobIdGenerator } from "queuert/internal";
import { createUserRows, inspectSqlite, openFile } from "../sqlite-file.ts";
import type { FillCounts, Opened, Participant, Target, WorkOptions } from "../participant.ts";
import { type Payload, payloadOf } from "../participant.ts";
import { createLoops } from "./loops.ts";

const leaseMs = 30_000;
const dayMs = 24 * 3_600_000;

const createTable = (db: BetterSqlite3.Database): void => {
  db.exec(`
    CREATE TABLE floor_job (
      ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type_name TEXT NOT NULL, status TEXT NOT NULL,
      input TEXT NOT NULL, output TEXT, scheduled_at INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
      leased_by TEXT, leased_until INTEGER, finished_at INTEGER);
    CREATE INDEX floor_job_due ON floor_job (type_name, scheduled_at) WHERE status = 'pending'`);
};

interface Transaction {
  <T>(run: () => T): T;
}

const createTransaction = (db: BetterSqlite3.Database): Transaction => {
  const [begin, commit, rollback] = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].map((sql) =>
    db.prepare(sql),
  );
  return (run) => {
    begin?.run();
    try {
      const result = run();
      commit?.run();
      return result;
    } catch (error) {
      rollback?.run();
      throw error;
    }
  };
};

const createStep = (
  db: BetterSqlite3.Database,
  { workload, concurrency, onRun }: WorkOptions,
): (() => number) => {
  const isCallback = workload === "callback";
  const limit = isCallback ? 1 : concurrency;
  const acquire = db
    .prepare(
      `UPDATE floor_job SET status = 'running', attempt = attempt + 1, leased_by = 'w', leased_until = ?
       WHERE ordinal IN (SELECT ordinal FROM floor_job WHERE status = 'pending' AND type_name = 'single'
         AND scheduled_at <= ? ORDER BY scheduled_at, ordinal LIMIT ${limit})
       RETURNING id, input`,
    )
    .raw();
  const complete = db.prepare(
    `UPDATE floor_job SET status = 'completed', output = 'null', finished_at = ?, leased_by = NULL, leased_until = NULL
     WHERE id = ? AND status = 'running'`,
  );
  const write = db.prepare("INSERT INTO user_row (text) VALUES (?)");
  const transaction = createTransaction(db);
  return () =>
    transaction(() => {
      const now = Date.now();
      // The driver's types speak of unknown rows: these are the two columns of RETURNING.
      const rows = acquire.all(now + leaseMs, now) as [string, string][];
      for (const [id, input] of rows) {
        onRun((JSON.parse(input) as Payload).at);
        if (isCallback) write.run("done");
        complete.run(Date.now(), id);
      }
      return rows.length;
    });
};

const open = async ({ url }: Target): Promise<Opened> => {
  const db = openFile(url);
  const nextId = createJobIdGenerator();
  const transaction = createTransaction(db);
  const insert = db.prepare(
    "INSERT INTO floor_job (id, type_name, status, input, scheduled_at) VALUES (?, 'single', 'pending', ?, ?)",
  );
  const add = (payload: Payload): unknown =>
    insert.run(nextId(), JSON.stringify(payload), Date.now());
  const write = db.prepare("INSERT INTO user_row (text) VALUES (?)");
  const wakes = new Set<() => void>();
  return {
    startOne: async (payload) => {
      transaction(() => add(payload));
      for (const wake of wakes) wake();
    },
    startInTransaction: async (payload) => {
      transaction(() => {
        write.run("done");
        add(payload);
      });
      for (const wake of wakes) wake();
    },
    startMany: async (_workload, unitCount) =>
      transaction(() => {
        for (let index = 0; index < unitCount; index += 1) add(payloadOf(0));
      }),
    work: async (options) => {
      const step = createStep(db, options);
      const loops = createLoops(1, async () => {
        const count = step();
        // Timers and starts get their turn, as in any server.
        await turn();
        return count;
      });
      wakes.add(loops.wake);
      return async () => {
        wakes.delete(loops.wake);
        await loops.stop();
      };
    },
    close: async () => {
      db.close();
    },
  };
};

const fill = async ({ url }: Target, counts: FillCounts): Promise<void> => {
  const { finished, scheduled, otherType } = counts;
  const db = openFile(url);
  const now = Date.now();
  const unfinished = finished + scheduled;
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${unfinished + otherType})
    INSERT INTO floor_job (id, type_name, status, input, output, scheduled_at, finished_at)
    SELECT printf('%012x-7000-8000-', n) || hex(randomblob(6)), iif(n <= ${unfinished}, 'single', 'other'), iif(n <= ${finished}, 'completed', 'pending'),
      '{"at":0,"text":"${"x".repeat(70)}"}', 'null', iif(n <= ${finished} OR n > ${unfinished}, ${now}, ${now + dayMs}), ${now}
    FROM numbers;
    ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
};

export const participant: Participant = {
  store: "sqlite",
  settings:
    "better-sqlite3, WAL, synchronous=NORMAL; by value in batches, by callback in a transaction for each",
  workloads: ["value", "callback"],
  sameProcessOnly: true,
  prepare: async (target) => {
    const db = openFile(target.url);
    createTable(db);
    db.close();
    createUserRows(target);
  },
  open,
  inspect: async (target) =>
    // They are never visible as running: one transaction takes and completes them.
    inspectSqlite(target, [
      `floor_job WHERE status = 'pending' AND type_name = 'single' AND scheduled_at <= unixepoch('subsec') * 1000`,
    ]),
  fill,
};
