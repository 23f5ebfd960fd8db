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
  v_ids {id}[];
  v_workers text[];
  v_acquired_at timestamptz[];
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
  SELECT array_agg(h.id ORDER BY h.leased_until, h.ordinal),
    array_agg(h.worker_id ORDER BY h.leased_until, h.ordinal),
    array_agg(h.acquired_at ORDER BY h.leased_until, h.ordinal)
  INTO v_ids, v_workers, v_acquired_at
  FROM (
    SELECT j.id, j.ordinal, l.worker_id, l.acquired_at, l.leased_until
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN {schema}.job j ON j.id = u.id
    WHERE l.ctid = ANY(v_places) AND j.status = 'open' AND j.lease_version = u.version - 1
    ORDER BY l.leased_until, j.ordinal
    LIMIT p_limit FOR NO KEY UPDATE OF j SKIP LOCKED) h;
  PERFORM {schema}.end_expired_attempts(v_ids, v_workers, v_acquired_at, v_now);
  -- The jobs were running, so they were due.
  INSERT INTO {schema}.ready (
    job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
  SELECT j.id, coalesce(j.queue, j.type_name), j.priority, j.scheduled_at, j.ordinal, j.released_at, true
  FROM unnest(v_ids) AS u (id) {probe j u.id};
  RETURN QUERY SELECT j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id,
    j.origin_id, u.worker_id, j.lease_version
  FROM unnest(v_ids, v_workers) WITH ORDINALITY AS u (id, worker_id, element)
  {probe j u.id} ORDER BY u.element;
  -- An entry that is still held was locked by its holder, or is beyond the limit.
  DELETE FROM {schema}.lease l
  WHERE l.ctid = ANY(v_places)
    AND NOT EXISTS (
      SELECT FROM unnest(l.job_ids, l.lease_versions) AS u (id, version)
      {probe j u.id}
      WHERE j.status = 'open' AND j.lease_version = u.version - 1);
END
$routine$`,
};
