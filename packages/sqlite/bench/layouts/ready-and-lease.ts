// The layout that PostgreSQL has, decision 0011: a row of `ready` for each job that may run, deleted by the acquisition. A row
// of `lease` for each acquisition. The row of the job is written at the start, and once at the end.
import { payloadText } from "../measure.ts";
import {
  type DueRow,
  insertRoot,
  lastOrdinal,
  leaseMs,
  nextId,
  type OpenLayout,
  output,
  typeName,
  unlessNewRoot,
  workerId,
} from "./layout.ts";

/** Run on tables of today that are empty. */
const tables = `
DROP INDEX queuert_job_due;
DROP INDEX queuert_job_leased;
CREATE TABLE queuert_ready (
  type_name TEXT NOT NULL, priority INTEGER NOT NULL, scheduled_at INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  PRIMARY KEY (type_name, priority DESC, scheduled_at, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE queuert_lease (
  id INTEGER PRIMARY KEY, type_name TEXT NOT NULL, leased_until INTEGER NOT NULL, leased_by TEXT NOT NULL,
  acquired_at INTEGER NOT NULL, jobs TEXT NOT NULL
) STRICT;
CREATE INDEX queuert_lease_end ON queuert_lease (type_name, leased_until);`;

const due = `
SELECT job.ordinal, job.id, job.input, job.created_at, job.scheduled_at, ${unlessNewRoot("job")}
FROM queuert_ready ready CROSS JOIN queuert_job job ON job.ordinal = ready.ordinal
WHERE ready.type_name = ? AND ready.priority = 0 AND ready.scheduled_at <= ?
ORDER BY ready.scheduled_at, ready.ordinal LIMIT ?`;

// The acquired rows are the first ones of their priority.
const take = `
DELETE FROM queuert_ready
WHERE type_name = ? AND priority = 0 AND (scheduled_at, ordinal) <= (?, ?)`;

const complete = `
UPDATE queuert_job SET status = 'completed', output = ?, finished_at = ?, completed_by = ?, completed_lease = ?,
  attempt = attempt + 1, lease_version = lease_version + 1, last_attempt_at = ?
WHERE id = ? AND status = 'open' AND lease_version = ? AND ordinal = ?
  AND EXISTS (SELECT 1 FROM queuert_lease WHERE queuert_lease.id = ?)`;

/** The size of every acquisition of this bench. */
const jobsPerLease = 100;

const insertLease = `
INSERT INTO queuert_lease (type_name, leased_until, leased_by, acquired_at, jobs) VALUES (?, ?, ?, ?, ?)`;

const prepareAll = (db: Parameters<OpenLayout>[0]) => ({
  insert: db.prepare(insertRoot),
  last: db.prepare(lastOrdinal).pluck(),
  enter: db.prepare(`INSERT INTO queuert_ready VALUES ('${typeName}', 0, ?, ?)`),
  select: db.prepare(due).raw(),
  take: db.prepare(take),
  lease: db.prepare(insertLease),
  forget: db.prepare("DELETE FROM queuert_lease WHERE id = ?"),
  end: db.prepare(complete),
});

type Statements = ReturnType<typeof prepareAll>;

const createAcquire =
  (sql: Statements): ReturnType<OpenLayout>["acquire"] =>
  (limit) => {
    const now = Date.now();
    // The columns of the select list.
    const rows = sql.select.all(typeName, now, limit) as DueRow[];
    const final = rows.at(-1);
    if (final === undefined) return [];
    sql.take.run(typeName, final[4], final[0]);
    const jobs = JSON.stringify(rows.flatMap(([ordinal]) => [ordinal, 1]));
    const lease = sql.lease.run(typeName, now + leaseMs, workerId, now, jobs);
    const leaseId = Number(lease.lastInsertRowid);
    return rows.map(([ordinal, id]) => ({ ordinal, id, leaseVersion: 1, leaseId }));
  };

// Only the adapter counts the jobs of a lease. If its process ends, the lease expires, and its jobs that have ended have a higher
// lease version than their entries.
const createComplete = (sql: Statements): ReturnType<OpenLayout>["complete"] => {
  const ended = new Map<number, number>();
  return (jobs) => {
    const now = Date.now();
    for (const { ordinal, id, leaseVersion, leaseId } of jobs) {
      const { changes } = sql.end.run(
        ...[output, now, workerId, leaseVersion, now],
        ...[id, leaseVersion - 1, ordinal, leaseId],
      );
      if (changes !== 1) throw new Error(`The lease of job ${id} is lost`);
      const count = (ended.get(leaseId) ?? 0) + 1;
      ended.set(leaseId, count);
      if (count < jobsPerLease) continue;
      ended.delete(leaseId);
      sql.forget.run(leaseId);
    }
  };
};

export const openReadyAndLease: OpenLayout = (db) => {
  db.exec(tables);
  const sql = prepareAll(db);
  return {
    start: (count) => {
      // Of the last ordinal, a number.
      let ordinal = sql.last.get() as number;
      const now = Date.now();
      for (let index = 0; index < count; index++) {
        sql.insert.run(++ordinal, nextId(), "open", now, now, payloadText);
        sql.enter.run(now, ordinal);
      }
    },
    acquire: createAcquire(sql),
    complete: createComplete(sql),
  };
};
