import type { Routine } from "./routine.ts";

/** Counts, each from the partial index of its status: finished jobs are never read. */
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
  SELECT 'count', j.type_name, 'pending', count(*)::float8,
    date_part('epoch', v_now - min(j.scheduled_at)) * 1000
  FROM {schema}.job j WHERE j.status = 'pending' GROUP BY j.type_name
  UNION ALL
  SELECT 'count', j.type_name, 'running', count(*), NULL
  FROM {schema}.job j WHERE j.status = 'running' GROUP BY j.type_name
  UNION ALL
  SELECT 'count', j.type_name, j.status, count(*), NULL
  FROM {schema}.job j WHERE j.status IN ('blocked', 'failed') GROUP BY j.type_name, j.status
  UNION ALL
  SELECT 'blocked_by_failed', NULL, NULL, count(DISTINCT w.id), NULL
  FROM {schema}.job f JOIN {schema}.job_blocker b ON b.blocker_sequence_id = f.sequence_id
  JOIN {schema}.job w ON w.id = b.job_id AND w.status = 'blocked'
  -- The first condition is that of the index.
  WHERE f.status IN ('blocked', 'failed') AND f.status = 'failed'
  UNION ALL
  SELECT 'expired', NULL, NULL, count(*), NULL
  FROM {schema}.job j WHERE j.status = 'running' AND j.leased_until <= v_now
  UNION ALL
  SELECT 'running_long', NULL, NULL, count(*), NULL
  FROM {schema}.job j WHERE j.status = 'running'
    AND j.last_attempt_at < v_now - p_running_long_ms * interval '1 ms';
END
$routine$`,
};
