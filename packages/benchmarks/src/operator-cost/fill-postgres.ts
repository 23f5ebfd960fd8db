// Jobs by SQL, in the states and shares of a store that has worked for days.
import type pg from "pg";

/** Jobs before the newest 3 %, which are pending, run. */
const runningCount = 100;

// A job a second, the newest one now. Ids sort by time, as those of the library do.
const jobs = `
WITH numbered AS (
  SELECT n, now() - ($1::int - n) * interval '1 s' AS at,
    CASE WHEN n % 1000 = 7 THEN 'rare' ELSE 'type-' || n % 9 END AS type_name,
    CASE WHEN n > $1 * 0.97 THEN 'pending' WHEN n > $1 * 0.97 - ${runningCount} THEN 'running'
      WHEN n % 200 = 0 THEN 'failed' WHEN n % 250 = 1 THEN 'blocked' ELSE 'completed' END AS state,
    (lpad(to_hex((extract(epoch FROM now() - ($1::int - n) * interval '1 s') * 1000)::bigint), 12, '0')
      || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
  FROM generate_series(1, $1::int) AS n
)
INSERT INTO queuert.job (sequence_created_at, created_at, scheduled_at, position, priority, id, sequence_id,
  root_sequence_id, type_name, sequence_type_name, on_blocker_failure, input, status, set_aside,
  incomplete_blockers, attempt, lease_version, last_attempt_at, finished_at, completed_by,
  last_attempt_error, output, sequence_outcome)
SELECT at, at, CASE WHEN state = 'pending' AND n % 3 > 0 THEN at + interval '30 d' ELSE at END, 0, 0, id, id,
  id, type_name, type_name, 'wait', '{"order":"A-' || n || '","to":"' || repeat('x', 120) || '"}',
  CASE state WHEN 'pending' THEN 'open' WHEN 'running' THEN 'open' ELSE state END,
  CASE WHEN state IN ('failed', 'blocked') THEN state END, CASE state WHEN 'blocked' THEN 1 ELSE 0 END,
  has_run::int, has_run::int,
  CASE WHEN has_run THEN at END,
  CASE WHEN state IN ('failed', 'completed') THEN at END,
  CASE state WHEN 'completed' THEN 'worker-1' END,
  CASE state WHEN 'failed' THEN 'Error: order ' || n || ' was declined by bank ' || n % 14 || repeat(' at line', 60) END,
  CASE state WHEN 'completed' THEN '"done"' END,
  CASE WHEN state IN ('failed', 'completed') THEN state END
FROM numbered, LATERAL (
  SELECT state IN ('failed', 'completed') OR (state = 'pending' AND n % 100 = 0) AS has_run) AS attempt
ORDER BY n`;

const ready = `
INSERT INTO queuert.ready (scheduled_at, ordinal, priority, is_due, job_id, type_name)
SELECT scheduled_at, ordinal, priority, scheduled_at <= now(), id, type_name FROM queuert.job
WHERE status = 'open' AND ordinal > $1::int * 0.97`;

const lease = `
INSERT INTO queuert.lease (leased_until, acquired_at, set_at, first_ordinal, last_ordinal, type_name, worker_id,
  job_ids, lease_versions)
SELECT now() + interval '1 h', now(), now(), min(ordinal), max(ordinal), type_name, 'worker-1', array_agg(id),
  array_agg(1)
FROM queuert.job WHERE status = 'open' AND ordinal <= $1::int * 0.97 GROUP BY type_name`;

/** Each blocked job waits for the failed job before it. */
const waits = `
INSERT INTO queuert.job_blocker (job_id, blocker_sequence_id, index)
SELECT b.id, f.id, 0 FROM queuert.job b
JOIN queuert.job f ON f.ordinal = greatest(200, (b.ordinal / 200) * 200) WHERE b.set_aside = 'blocked'`;

/** Fills an empty store whose ordinals begin at 1. */
export const fillPostgres = async (pool: pg.Pool, jobCount: number): Promise<void> => {
  await pool.query(jobs, [jobCount]);
  for (const statement of [ready, lease]) await pool.query(statement, [jobCount]);
  await pool.query(waits);
  for (const table of ["job", "ready", "lease", "job_blocker"]) {
    await pool.query(`VACUUM ANALYZE queuert.${table}`);
  }
};
