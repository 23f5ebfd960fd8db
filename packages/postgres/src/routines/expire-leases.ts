import type { Routine } from "./routine.ts";

// A row that another transaction has locked is being renewed or reclaimed: it is left alone.

/** The number of leases that end: of open jobs, under the version of their entry. */
export const expireLeases: Routine = {
  name: "expire_leases",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.expire_leases(p_worker_id text, p_acquired_before timestamptz)
RETURNS TABLE (lease_count bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH ended AS (
    UPDATE {schema}.lease l SET leased_until = v_now
    WHERE l.ctid = ANY(ARRAY(
      SELECT o.ctid FROM {schema}.lease o
      WHERE o.worker_id = p_worker_id AND o.acquired_at < p_acquired_before
        AND o.leased_until > v_now
      FOR UPDATE SKIP LOCKED))
    RETURNING l.job_ids, l.lease_versions
  )
  SELECT count(*) FROM ended e
  CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
  {probe j u.id}
  WHERE j.status = 'open' AND j.lease_version = u.version - 1;
END
$routine$`,
};
