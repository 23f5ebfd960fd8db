import type { Routine } from "./routine.ts";

// SKIP LOCKED still waits for a transaction that updates a row just after its holder has released it. The server then
// locks the later versions of the row without skipping. Rows that are already locked here were not locked in the order of
// ids, so that wait can be a deadlock. The lock timeout ends it before the server looks for deadlocks (after 1 s) and
// ends any of the two transactions. All routines that skip locked rows have this timeout.

/** Rows for the leases that are lost. A row that another transaction has locked counts as held and is left alone. */
export const renewLeases: Routine = {
  name: "renew_leases",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.renew_leases(
  p_ids {id}[], p_lease_versions integer[], p_lease_ms float8[])
RETURNS TABLE (element integer, reason text)
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_held bigint[];
BEGIN
  WITH free AS MATERIALIZED (
    SELECT j.id, u.lease_ms
    FROM (SELECT * FROM unnest(p_ids, p_lease_versions, p_lease_ms)
      AS u (id, lease_version, lease_ms) ORDER BY u.id) u
    JOIN {schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version
    ORDER BY j.id FOR NO KEY UPDATE OF j SKIP LOCKED
  )
  UPDATE {schema}.job j
  SET leased_until = v_now + f.lease_ms * interval '1 ms'
  FROM free f WHERE j.id = f.id;
  v_held := ARRAY(
    SELECT u.element
    FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    JOIN {schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version);
  IF cardinality(v_held) < cardinality(p_ids) THEN
    RETURN QUERY SELECT l.element, l.reason
    FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_held) l;
  END IF;
END
$routine$`,
};
