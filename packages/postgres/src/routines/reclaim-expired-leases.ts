import type { Routine } from "./routine.ts";

/** A row for each reclaimed job, with the worker that held the lease; the oldest lease comes first. */
export const reclaimExpiredLeases: Routine = {
  name: "reclaim_expired_leases",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.reclaim_expired_leases(p_limit integer)
RETURNS TABLE (
  id {id}, type_name text, sequence_id {id}, sequence_type_name text, root_sequence_id {id},
  origin_id {id}, held_by text, lease_version integer)
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH expired AS MATERIALIZED (
    SELECT j.id, j.leased_by, j.leased_until FROM {schema}.job j
    WHERE j.status = 'running' AND j.leased_until <= v_now
    ORDER BY j.leased_until LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
  ), reclaimed AS (
    UPDATE {schema}.job j SET
      status = 'pending', leased_by = NULL, leased_until = NULL,
      last_attempt_error = 'The lease of worker ' || coalesce(e.leased_by, '?') || ' expired'
    FROM expired e WHERE j.id = e.id
    RETURNING j.*, e.leased_by AS held_by, e.leased_until AS held_until
  )
  SELECT j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id, j.origin_id,
    j.held_by, j.lease_version
  FROM reclaimed j ORDER BY j.held_until, j.ordinal;
END
$routine$`,
};
