import type { Routine } from "./routine.ts";

// The row of a job is only read: renewing waits for no transaction that settles it, and no such transaction waits for
// the renewal. The entries that are held and asked for move to new rows of "lease", others stay under their lease, and dead
// entries go. The rows are locked, so reclaiming passes by.
//
// SKIP LOCKED still waits for a transaction that updates a row just after its holder has released it. The server then
// locks the later versions of the row without skipping. Rows that are already locked here were not locked in one order, so that
// wait can be a deadlock. The lock timeout ends it before the server looks for deadlocks (after 1 s) and
// ends any of the two transactions. All routines that skip locked rows have this timeout.

/** Rows for the leases that are lost. If another transaction has locked the row of a lease, its jobs count as held and it is left alone. */
export const renewLeases: Routine = {
  name: "renew_leases",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.renew_leases(
  p_ids {id}[], p_lease_versions integer[], p_lease_ms float8[])
RETURNS TABLE (element integer, reason text)
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
SET row_security = off
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_places tid[];
  v_held bigint[];
  v_refused tid[];
BEGIN
  -- The rows with entries that are asked for. "lease" has few rows; the planner may compare all entries by one hash.
  v_places := ARRAY(
    SELECT l.ctid FROM {schema}.lease l
    WHERE l.ctid = ANY(ARRAY(
      SELECT DISTINCT e.ctid
      FROM {schema}.lease e
      CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
      JOIN unnest(p_ids, p_lease_versions) AS a (id, version)
        ON a.id = u.id AND a.version = u.version))
    FOR UPDATE SKIP LOCKED);
  -- Usually the table of limits is empty. An acquisition may have given the permit of an expired lease to another job. The
  -- moment is that after the lock: an acquisition that counts now finds the row locked, or this routine finds it expired.
  IF EXISTS (SELECT FROM {schema}.job_limit)
    OR EXISTS (SELECT FROM {schema}.lease l WHERE l.type_name < chr(2))
  THEN
    v_now := clock_timestamp();
    v_refused := ARRAY(
      SELECT l.ctid FROM {schema}.lease l
      LEFT JOIN {schema}.job_limit b ON b.name = l.type_name AND b.is_bounded
      WHERE l.ctid = ANY(v_places) AND l.leased_until <= v_now
        AND (b.name IS NOT NULL OR l.type_name < chr(2)));
    v_places := ARRAY(
      SELECT p.place FROM unnest(v_places) AS p (place) WHERE NOT p.place = ANY(v_refused));
    RETURN QUERY SELECT a.element::integer, 'lease_expired'
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN unnest(p_ids, p_lease_versions) WITH ORDINALITY AS a (id, version, element)
      ON a.id = u.id AND a.version = u.version
    {probe j u.id}
    WHERE l.ctid = ANY(v_refused) AND j.status = 'open' AND j.lease_version = u.version - 1;
  END IF;
  WITH gone AS (
    DELETE FROM {schema}.lease l WHERE l.ctid = ANY(v_places) RETURNING l.*
  ), asked AS (
    SELECT DISTINCT ON (a.id, a.version) a.id, a.version, a.lease_ms
    FROM unnest(p_ids, p_lease_versions, p_lease_ms) AS a (id, version, lease_ms)
    ORDER BY a.id, a.version
  )
  INSERT INTO {schema}.lease (
    leased_until, acquired_at, set_at, first_ordinal, last_ordinal, type_name, worker_id,
    job_ids, lease_versions)
  SELECT coalesce(v_now + a.lease_ms * interval '1 ms', g.leased_until), g.acquired_at,
    CASE WHEN a.lease_ms IS NULL THEN g.set_at ELSE v_now END,
    min(j.ordinal), max(j.ordinal), g.type_name, g.worker_id,
    array_agg(u.id), array_agg(u.version)
  FROM gone g
  CROSS JOIN LATERAL unnest(g.job_ids, g.lease_versions) AS u (id, version)
  {probe j u.id}
  LEFT JOIN asked a ON a.id = u.id AND a.version = u.version
  WHERE j.status = 'open' AND j.lease_version = u.version - 1
  GROUP BY a.lease_ms, g.leased_until, g.acquired_at, g.set_at, g.type_name, g.worker_id;
  v_held := ARRAY(
    SELECT u.element
    FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    {probe j u.id}
    WHERE j.status = 'open' AND j.lease_version = u.lease_version - 1);
  IF cardinality(v_held) < cardinality(p_ids) THEN
    RETURN QUERY SELECT l.element, l.reason
    FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_held) l;
  END IF;
END
$routine$`,
};
