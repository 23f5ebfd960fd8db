import type { Routine } from "./routine.ts";

/** Called by `acquire_jobs`: makes the jobs of the expired leases of these queues pending again. One row with their workers. */
export const requeueExpired: Routine = {
  name: "requeue_expired",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.requeue_expired(p_queues text[])
RETURNS TABLE (ids {id}[], workers text[])
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_places tid[];
  v_acquired_at timestamptz[];
BEGIN
  -- A lease that is renewed at this moment is passed by.
  v_places := ARRAY(
    SELECT l.ctid FROM {schema}.lease l
    WHERE l.leased_until <= v_now AND l.type_name < chr(2) AND l.type_name = ANY(p_queues)
    FOR UPDATE SKIP LOCKED);
  SELECT coalesce(array_agg(e.id), '{}'), array_agg(e.worker_id), array_agg(e.acquired_at)
  INTO ids, workers, v_acquired_at
  FROM (
    SELECT j.id, l.worker_id, l.acquired_at
    FROM {schema}.lease l
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN {schema}.job j ON j.id = u.id
    WHERE l.ctid = ANY(v_places) AND j.status = 'open' AND j.lease_version = u.version - 1
    LIMIT 1000 FOR NO KEY UPDATE OF j SKIP LOCKED) e;
  IF ids <> '{}' THEN
    PERFORM {schema}.end_expired_attempts(ids, workers, v_acquired_at, v_now);
    INSERT INTO {schema}.ready (
      job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
    SELECT j.id, j.queue, j.priority, j.scheduled_at, j.ordinal, j.released_at, true
    FROM unnest(ids) AS u (id) {probe j u.id};
  END IF;
  RETURN NEXT;
END
$routine$`,
};
