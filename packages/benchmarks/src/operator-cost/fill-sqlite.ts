// The same jobs as in `fill-postgres.ts`, as rows of SQLite. There, `||` binds closer than `%`.
import type BetterSqlite3 from "better-sqlite3";

const runningCount = 100;

const idOf = (number: string): string => `printf('0199a3f0-0000-7000-8000-%012x', ${number})`;

const jobs = `
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $count),
numbered AS (
  SELECT n, $now - ($count - n) * 1000 AS at,
    CASE WHEN n % 1000 = 7 THEN 'rare' ELSE 'type-' || (n % 9) END AS type_name,
    CASE WHEN n > $count * 0.97 THEN 'pending' WHEN n > $count * 0.97 - ${runningCount} THEN 'running'
      WHEN n % 200 = 0 THEN 'failed' WHEN n % 250 = 1 THEN 'blocked' ELSE 'completed' END AS status
  FROM numbers
)
INSERT INTO queuert_job (ordinal, id, type_name, position, status, priority, scheduled_at, attempt, lease_version,
  leased_by, leased_until, created_at, last_attempt_at, finished_at, completed_by, on_blocker_failure,
  blocker_count, incomplete_blocker_count, last_attempt_error, input, output)
SELECT n, ${idOf("n")}, type_name, 0, status, 0,
  CASE WHEN status = 'pending' AND n % 3 > 0 THEN at + 30 * 86400000 ELSE at END,
  status IN ('failed', 'completed', 'running') OR (status = 'pending' AND n % 100 = 0),
  status IN ('failed', 'completed', 'running') OR (status = 'pending' AND n % 100 = 0),
  iif(status = 'running', 'worker-1', NULL), iif(status = 'running', $now + 3600000, NULL), at,
  iif(status IN ('failed', 'completed', 'running'), at, NULL), iif(status IN ('failed', 'completed'), at, NULL),
  iif(status = 'completed', 'worker-1', NULL), 'wait', status = 'blocked', status = 'blocked',
  iif(status = 'failed', 'Error: order ' || n || ' was declined by bank ' || (n % 14) || $trace, NULL),
  '{"order":"A-' || n || '","to":"' || $text || '"}', iif(status = 'completed', '"done"', NULL)
FROM numbered`;

/** Each blocked job waits for the failed job before it. */
const waits = `
INSERT INTO queuert_job_blocker (job_id, place, blocker_sequence_id)
SELECT b.id, 0, ${idOf("max(200, b.ordinal / 200 * 200)")} FROM queuert_job b WHERE b.status = 'blocked'`;

/** Fills an empty store, and returns a due job and the first failed one. */
export const fillSqlite = (
  database: BetterSqlite3.Database,
  jobCount: number,
): { readonly dueId: string; readonly failedSequenceId: string } => {
  const given = { count: jobCount, now: Date.now() };
  database.prepare(jobs).run({ ...given, trace: " at line".repeat(60), text: "x".repeat(120) });
  database.exec(waits);
  database.exec("UPDATE queuert_ordinal SET last = (SELECT max(ordinal) FROM queuert_job)");
  database.exec("ANALYZE");
  database.pragma("wal_checkpoint(TRUNCATE)");
  const idAt = (ordinal: number): string =>
    database.prepare("SELECT id FROM queuert_job WHERE ordinal = ?").pluck().get(ordinal) as string;
  return { dueId: idAt(jobCount - (jobCount % 3)), failedSequenceId: idAt(200) };
};
