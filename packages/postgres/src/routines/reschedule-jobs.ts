import type { Routine } from "./routine.ts";

/** A row for each element: `scheduled_at_us` if the job is pending again, else the reason why its lease is lost. */
export const rescheduleJobs: Routine = {
  name: "reschedule_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.reschedule_jobs(
  p_ids {id}[], p_lease_versions integer[], p_at timestamptz[], p_after_ms float8[],
  p_uncounted integer[], p_errors text[])
RETURNS TABLE (element integer, reason text, scheduled_at_us bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_held bigint[];
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_held := ARRAY(
    SELECT u.element
    FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    JOIN {schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version);
  RETURN QUERY UPDATE {schema}.job j SET
    status = 'pending', leased_by = NULL, leased_until = NULL,
    scheduled_at = coalesce(u.at, v_now + u.after_ms * interval '1 ms', j.scheduled_at),
    attempt = greatest(j.attempt - coalesce(u.uncounted, 0), 0),
    last_attempt_error = coalesce(u.error, j.last_attempt_error)
  FROM unnest(p_ids, p_at, p_after_ms, p_uncounted, p_errors)
    WITH ORDINALITY AS u (id, at, after_ms, uncounted, error, element)
  WHERE j.id = u.id AND u.element = ANY(v_held)
  RETURNING u.element::integer, NULL::text,
    (date_part('epoch', j.scheduled_at) * 1000000)::bigint;
  IF cardinality(v_held) < cardinality(p_ids) THEN
    RETURN QUERY SELECT l.element, l.reason, NULL::bigint
    FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_held) l;
  END IF;
END
$routine$`,
};
