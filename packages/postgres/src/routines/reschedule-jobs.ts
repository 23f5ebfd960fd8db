import type { Routine } from "./routine.ts";

/** A row for each element: `scheduled_at_us` if the job is pending again, else the reason why its lease is lost. */
export const rescheduleJobs: Routine = {
  name: "reschedule_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.reschedule_jobs(
  p_ids {id}[], p_lease_versions integer[], p_at timestamptz[], p_after_ms float8[],
  p_uncounted integer[], p_errors text[], p_acquired_us float8[], p_worker_ids text[])
RETURNS TABLE (element integer, reason text, scheduled_at_us bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_held bigint[];
  v_failed bigint[];
  v_one record;
  v_acquired_us float8[] := {schema}.acquired_us(p_ids, p_lease_versions, p_acquired_us);
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_held := ARRAY(
    SELECT u.element
    FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    {probe j u.id}
    WHERE j.status = 'open' AND j.lease_version = u.lease_version - 1);
  v_failed := ARRAY(
    SELECT h.element FROM unnest(v_held) AS h (element) WHERE p_errors[h.element] IS NOT NULL);
  IF v_failed <> '{}' THEN
    PERFORM {schema}.record_attempts(
      array_agg(p_ids[f.element] ORDER BY f.element),
      array_agg(p_worker_ids[f.element] ORDER BY f.element),
      array_agg(v_acquired_us[f.element] ORDER BY f.element), 'retried', v_now,
      array_agg(p_errors[f.element] ORDER BY f.element),
      array_agg(coalesce(p_at[f.element], v_now + p_after_ms[f.element] * interval '1 ms')
        ORDER BY f.element))
    FROM unnest(v_failed) AS f (element);
  END IF;
  -- One probe of the primary key a job, as in take_ready: a join might read all jobs for each element.
  FOR v_one IN
    SELECT u.*, coalesce(u.at, v_now + u.after_ms * interval '1 ms') AS asked_at
    FROM unnest(p_ids, p_at, p_after_ms, p_uncounted, p_errors, v_acquired_us)
      WITH ORDINALITY AS u (id, at, after_ms, uncounted, error, acquired_us, element)
    WHERE u.element = ANY(v_held)
  LOOP
    RETURN QUERY
    WITH rescheduled AS (
      UPDATE {schema}.job j SET
        scheduled_at = coalesce(v_one.asked_at, j.scheduled_at),
        attempt = greatest(j.attempt + 1 - coalesce(v_one.uncounted, 0), 0),
        lease_version = j.lease_version + 1,
        last_attempt_at = coalesce(timestamptz 'epoch' + v_one.acquired_us * interval '1 us', v_now),
        last_attempt_error = coalesce(v_one.error, j.last_attempt_error)
      WHERE j.id = v_one.id
      RETURNING j.id, coalesce(j.queue, j.type_name) AS queue, j.priority, j.scheduled_at, j.ordinal,
        j.released_at
    ), made_ready AS (
      INSERT INTO {schema}.ready (
        job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
      -- A job that keeps its due time was due: it was running.
      SELECT r.id, r.queue, r.priority, r.scheduled_at, r.ordinal, r.released_at,
        v_one.asked_at IS NULL OR v_one.asked_at <= v_now
      FROM rescheduled r
    )
    SELECT v_one.element::integer, NULL::text, (date_part('epoch', r.scheduled_at) * 1000000)::bigint
    FROM rescheduled r;
  END LOOP;
  IF EXISTS (SELECT FROM {schema}.job j WHERE j.id = ANY(p_ids) AND j.queue IS NOT NULL) THEN
    PERFORM {schema}.leave_turns(p_ids);
  END IF;
  IF cardinality(v_held) < cardinality(p_ids) THEN
    RETURN QUERY SELECT l.element, l.reason, NULL::bigint
    FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_held) l;
  END IF;
END
$routine$`,
};
