import type { Routine } from "./routine.ts";

/** Counts of pending jobs from "ready", of running jobs from "lease", and of others from their index: completed jobs are never read. */
export const summarize: Routine = {
  name: "summarize",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.summarize(p_running_long_ms float8)
RETURNS TABLE (kind text, type_name text, status text, value float8, oldest_ms float8)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH held AS MATERIALIZED (
    SELECT l.type_name, l.leased_until, l.acquired_at
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN {schema}.job j ON j.id = u.id AND j.status = 'open' AND j.lease_version = u.version - 1
  )
  SELECT 'count', r.type_name, 'pending', count(*)::float8,
    -- A blocked job was not ready, whenever it was due.
    date_part('epoch', v_now - min(greatest(r.scheduled_at, r.released_at))) * 1000
  FROM {schema}.ready r GROUP BY r.type_name
  UNION ALL
  SELECT 'count', h.type_name, 'running', count(*), NULL FROM held h GROUP BY h.type_name
  UNION ALL
  SELECT 'count', j.type_name, j.set_aside, count(*), NULL
  FROM {schema}.job j WHERE j.set_aside IS NOT NULL GROUP BY j.type_name, j.set_aside
  UNION ALL
  SELECT 'blocked_by_failed', NULL, NULL, count(DISTINCT w.id), NULL
  FROM {schema}.job f JOIN {schema}.job_blocker b ON b.blocker_sequence_id = f.sequence_id
  JOIN {schema}.job w ON w.id = b.job_id AND w.status = 'blocked'
  WHERE f.set_aside = 'failed'
  UNION ALL
  SELECT 'expired', NULL, NULL, count(*), NULL FROM held h WHERE h.leased_until <= v_now
  UNION ALL
  SELECT 'running_long', NULL, NULL, count(*), NULL FROM held h
  WHERE h.acquired_at < v_now - p_running_long_ms * interval '1 ms';
END
$routine$`,
};
