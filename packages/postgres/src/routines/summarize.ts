import type { Routine } from "./routine.ts";

/** Counts of pending jobs from "ready", of running jobs from "lease", and of others from their index: completed jobs are never read. */
export const summarize: Routine = {
  name: "summarize",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.summarize(p_running_long_ms float8)
RETURNS TABLE (
  kind text, type_name text, status text, value float8, oldest_ms float8, due_count float8)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH held AS MATERIALIZED (
    SELECT j.type_name, l.leased_until, l.acquired_at
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    {probe j u.id}
    WHERE j.status = 'open' AND j.lease_version = u.version - 1
  )
  SELECT 'count', q.type_name, 'pending', count(*)::float8,
    -- A blocked job was not ready, whenever it was due.
    date_part('epoch', v_now - min(greatest(r.scheduled_at, r.released_at))) * 1000,
    count(*) FILTER (WHERE r.scheduled_at <= v_now)::float8
  FROM {schema}.ready r
  -- A job under a key has the name of its queue there.
  CROSS JOIN LATERAL (SELECT {type of r.type_name} AS type_name) q GROUP BY q.type_name
  UNION ALL
  SELECT 'count', h.type_name, 'running', count(*), NULL, NULL FROM held h GROUP BY h.type_name
  UNION ALL
  SELECT 'count', j.type_name, j.set_aside, count(*), NULL, NULL
  FROM {schema}.job j WHERE j.set_aside IS NOT NULL GROUP BY j.type_name, j.set_aside
  UNION ALL
  SELECT 'blocked_by_failed', NULL, NULL, count(DISTINCT w.id), NULL, NULL
  FROM {schema}.job f JOIN {schema}.job_blocker b ON b.blocker_sequence_id = f.sequence_id
  JOIN {schema}.job w ON w.id = b.job_id AND w.status = 'blocked'
  WHERE f.set_aside = 'failed'
  UNION ALL
  SELECT 'expired', NULL, NULL, count(*), NULL, NULL FROM held h WHERE h.leased_until <= v_now
  UNION ALL
  SELECT 'running_long', NULL, NULL, count(*), NULL, NULL FROM held h
  WHERE h.acquired_at < v_now - p_running_long_ms * interval '1 ms';
END
$routine$`,
};
