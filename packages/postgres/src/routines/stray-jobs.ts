import type { Routine } from "./routine.ts";

/**
 * Jobs that break a rule of the tables. An open job has either a row in "ready" or an entry in "lease" that holds it. A ready row
 * has an open job. Reads all jobs: for tests and `checkSchema`, not for workers.
 */
export const strayJobs: Routine = {
  name: "stray_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.stray_jobs(p_limit integer)
RETURNS TABLE (id {id}, status text, ready_count integer, lease_count integer)
LANGUAGE plpgsql STABLE
SET search_path = {path}
SET row_security = off
SET jit = off
-- A store that was analysed when it was empty has plans of nested loops, which read all ready rows for each job.
SET enable_nestloop = off
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH readied AS (
    SELECT r.job_id AS id, count(*)::integer AS count FROM {schema}.ready r
    JOIN {schema}.job j ON j.id = r.job_id AND r.type_name = coalesce(j.queue, j.type_name)
      AND r.priority = j.priority AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal
    GROUP BY r.job_id
  ), held AS (
    SELECT u.id, count(*)::integer AS count
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN {schema}.job j ON j.id = u.id AND j.status = 'open' AND j.lease_version = u.version - 1
      AND j.ordinal BETWEEN l.first_ordinal AND l.last_ordinal
    GROUP BY u.id
  )
  SELECT j.id, j.status, coalesce(r.count, 0), coalesce(h.count, 0)
  FROM {schema}.job j LEFT JOIN readied r ON r.id = j.id LEFT JOIN held h ON h.id = j.id
  WHERE coalesce(r.count, 0) + coalesce(h.count, 0)
    <> CASE WHEN j.status = 'open' THEN 1 ELSE 0 END
    OR (j.set_aside IS DISTINCT FROM
      CASE WHEN j.status IN ('blocked', 'failed') THEN j.status END)
  UNION ALL
  SELECT r.job_id, NULL, 1, 0 FROM {schema}.ready r
  WHERE NOT EXISTS (SELECT FROM readied d WHERE d.id = r.job_id)
  LIMIT p_limit;
END
$routine$`,
};
