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
  v_places tid[];
BEGIN
  -- A lease that was set later than now: the clock was set back. It gets its whole length by the new clock. A living worker
  -- renews it before that ends.
  UPDATE {schema}.lease l
  SET leased_until = v_now + (l.leased_until - l.set_at), set_at = v_now
  WHERE l.ctid = ANY(ARRAY(
    SELECT d.ctid FROM {schema}.lease d WHERE d.set_at > v_now FOR UPDATE SKIP LOCKED));
  v_places := ARRAY(
    SELECT l.ctid FROM {schema}.lease l WHERE l.leased_until <= v_now FOR UPDATE SKIP LOCKED);
  IF v_places = '{}' THEN RETURN; END IF;
  RETURN QUERY
  WITH held AS MATERIALIZED (
    SELECT j.id, u.version, l.worker_id, l.acquired_at, l.leased_until
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN {schema}.job j ON j.id = u.id
    WHERE l.ctid = ANY(v_places) AND j.status = 'open' AND j.lease_version = u.version - 1
    ORDER BY l.leased_until, j.ordinal
    LIMIT p_limit FOR NO KEY UPDATE OF j SKIP LOCKED
  ), reclaimed AS (
    UPDATE {schema}.job j SET
      attempt = j.attempt + 1, lease_version = h.version, last_attempt_at = h.acquired_at,
      last_attempt_error = 'The lease of worker ' || h.worker_id || ' expired'
    FROM held h WHERE j.id = h.id
    RETURNING j.*, h.worker_id, h.leased_until
  ), made_ready AS (
    INSERT INTO {schema}.ready (
      job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
    -- The job was running, so it was due.
    SELECT r.id, r.type_name, r.priority, r.scheduled_at, r.ordinal, r.released_at, true
    FROM reclaimed r
  )
  SELECT r.id, r.type_name, r.sequence_id, r.sequence_type_name, r.root_sequence_id, r.origin_id,
    r.worker_id, r.lease_version
  FROM reclaimed r ORDER BY r.leased_until, r.ordinal;
  -- An entry that is still held was locked by its holder, or is beyond the limit.
  DELETE FROM {schema}.lease l
  WHERE l.ctid = ANY(v_places)
    AND NOT EXISTS (
      SELECT FROM unnest(l.job_ids, l.lease_versions) AS u (id, version)
      JOIN {schema}.job j ON j.id = u.id
      WHERE j.status = 'open' AND j.lease_version = u.version - 1);
END
$routine$`,
};
