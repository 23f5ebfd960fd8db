import type { Routine } from "./routine.ts";

/** A row for each element: `scheduled_at_us` if the job is pending again, else the reason why its lease is lost. */
export const rescheduleJobs: Routine = {
  name: "reschedule_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.reschedule_jobs(
  p_ids {id}[], p_lease_versions integer[], p_at timestamptz[], p_after_ms float8[],
  p_uncounted integer[], p_errors text[], p_acquired_us float8[])
RETURNS TABLE (element integer, reason text, scheduled_at_us bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_held bigint[];
  v_acquired_us float8[] := {schema}.acquired_us(p_ids, p_lease_versions, p_acquired_us);
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_held := ARRAY(
    SELECT u.element
    FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    JOIN {schema}.job j ON j.id = u.id
    WHERE j.status = 'open' AND j.lease_version = u.lease_version - 1);
  RETURN QUERY
  WITH rescheduled AS (
    UPDATE {schema}.job j SET
      scheduled_at = coalesce(u.at, v_now + u.after_ms * interval '1 ms', j.scheduled_at),
      attempt = greatest(j.attempt + 1 - coalesce(u.uncounted, 0), 0),
      lease_version = j.lease_version + 1,
      last_attempt_at = coalesce(timestamptz 'epoch' + u.acquired_us * interval '1 us', v_now),
      last_attempt_error = coalesce(u.error, j.last_attempt_error)
    FROM unnest(p_ids, p_at, p_after_ms, p_uncounted, p_errors, v_acquired_us)
      WITH ORDINALITY AS u (id, at, after_ms, uncounted, error, acquired_us, element)
    WHERE j.id = u.id AND u.element = ANY(v_held)
    RETURNING j.*, u.element, coalesce(u.at, v_now + u.after_ms * interval '1 ms') AS asked_at
  ), made_ready AS (
    INSERT INTO {schema}.ready (
      job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
    -- A job that keeps its due time was due: it was running.
    SELECT r.id, r.type_name, r.priority, r.scheduled_at, r.ordinal, r.released_at,
      r.asked_at IS NULL OR r.asked_at <= v_now
    FROM rescheduled r
  )
  SELECT r.element::integer, NULL::text, (date_part('epoch', r.scheduled_at) * 1000000)::bigint
  FROM rescheduled r;
  IF cardinality(v_held) < cardinality(p_ids) THEN
    RETURN QUERY SELECT l.element, l.reason, NULL::bigint
    FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_held) l;
  END IF;
END
$routine$`,
};
