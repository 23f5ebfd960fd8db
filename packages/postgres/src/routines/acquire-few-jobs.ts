import type { Routine } from "./routine.ts";

// A function that has slept takes 30 to 45 microseconds for each of its statements, so an idle worker asks this routine
// first. It looks at the first eight jobs of each type in one statement, due or not: most types of a quiet store have no
// more. If the window of a type is full, its last job must not be due and no job of a lower priority may follow. For more
// jobs, expired leases and jobs with blockers it calls `acquire_jobs`. No join order
// matters here, so it has no settings for joins.

/** The same rows as `acquire_jobs`, sooner if there are few jobs to acquire; the last row is then `few`, not `summary`. */
export const acquireFewJobs: Routine = {
  name: "acquire_few_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.acquire_few_jobs(
  p_worker_id text, p_limit integer, p_types text[], p_lease_ms float8[], p_limits integer[],
  p_room integer)
RETURNS TABLE (
  id {id}, facts text, input text, sequence_id {id}, sequence_type_name text,
  root_sequence_id {id}, origin_id {id}, trace_context text, rest text)
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
SET lock_timeout = '500ms'
SET row_security = off
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_places tid[];
  v_next_due timestamptz;
  v_is_more boolean;
  v_probe_us float8;
  v_count integer;
  v_type text;
  v_priority bigint;
  v_head timestamptz;
BEGIN
  SELECT array_agg(w.ctid) FILTER (WHERE w.scheduled_at <= v_now),
    min(w.scheduled_at) FILTER (WHERE w.scheduled_at > v_now),
    count(*) FILTER (WHERE w.scheduled_at <= v_now) > p_room
    OR coalesce(bool_or(w.has_waited OR w.place = 8 AND (w.scheduled_at <= v_now OR EXISTS (
      SELECT FROM {schema}.job j
      WHERE j.status = 'pending' AND j.type_name = w.type_name AND j.priority < w.priority))), false)
    OR EXISTS (
      SELECT FROM {schema}.job j
      WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = ANY(p_types))
  INTO v_places, v_next_due, v_is_more
  FROM unnest(p_types) AS t (type_name)
  CROSS JOIN LATERAL (
    SELECT j.ctid, j.type_name, j.priority, j.scheduled_at,
      row_number() OVER (ORDER BY j.priority DESC, j.scheduled_at, j.ordinal) AS place,
      -- Not EXISTS: if the table was small at planning time, that reads it into a hash even after it has grown.
      (SELECT true FROM {schema}.job_blocker b WHERE b.job_id = j.id LIMIT 1) AS has_waited
    FROM {schema}.job j
    WHERE j.status = 'pending' AND j.type_name = t.type_name
    ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT 8) w;
  IF v_is_more THEN
    RETURN QUERY SELECT * FROM {schema}.acquire_jobs(
      p_worker_id, p_limit, p_types, p_lease_ms, p_limits, '{}', '{}', '{}', '{}', NULL);
    RETURN;
  END IF;
  v_probe_us := date_part('epoch', clock_timestamp() - v_now) * 1000000;
  IF v_places IS NOT NULL THEN
    -- A row that changed since the first statement is not found at its place. No other row can have that place: the
    -- snapshot of the calling statement keeps the old version of the row.
    RETURN QUERY UPDATE {schema}.job j SET
      status = 'running', attempt = j.attempt + 1, lease_version = j.lease_version + 1,
      leased_by = p_worker_id, last_attempt_at = v_now,
      leased_until = v_now + p_lease_ms[array_position(p_types, j.type_name)] * interval '1 ms'
    WHERE j.ctid = ANY(ARRAY(
      SELECT l.ctid FROM {schema}.job l
      WHERE l.ctid = ANY(v_places) AND l.status = 'pending' AND l.scheduled_at <= v_now
      FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING j.id,
      concat_ws(' ', array_position(p_types, j.type_name), j.ordinal,
        (date_part('epoch', j.created_at) * 1000000)::bigint, j.attempt, j.lease_version,
        CASE WHEN j.position > 0 THEN concat_ws(' ', j.position,
          (date_part('epoch', j.sequence_created_at) * 1000000)::bigint) END),
      j.input,
      CASE WHEN j.position > 0 THEN j.sequence_id END,
      CASE WHEN j.position > 0 THEN j.sequence_type_name END,
      NULLIF(j.root_sequence_id, j.id), j.origin_id, j.trace_context,
      CASE WHEN j.priority = 0 AND j.scheduled_at = j.created_at AND j.on_blocker_failure = 'wait'
        AND j.deduplication_key IS NULL AND j.last_attempt_error IS NULL
        THEN NULL ELSE json_build_object(
          'priority', j.priority,
          'scheduled_at_us', (date_part('epoch', j.scheduled_at) * 1000000)::bigint,
          'on_blocker_failure', j.on_blocker_failure,
          'deduplication_key', j.deduplication_key,
          'last_attempt_error', j.last_attempt_error)::text END;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(v_places) THEN
      FOREACH v_type IN ARRAY p_types LOOP
        v_priority := 2147483648;
        LOOP
          SELECT j.priority, j.scheduled_at INTO v_priority, v_head FROM {schema}.job j
          WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority < v_priority
          ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT 1;
          EXIT WHEN NOT FOUND;
          v_next_due := least(v_next_due, v_head);
        END LOOP;
      END LOOP;
    END IF;
  END IF;
  facts := concat_ws(' ', 'few', (date_part('epoch', v_now) * 1000000)::bigint, v_probe_us::bigint,
    CASE WHEN v_next_due IS NOT NULL THEN least(greatest(
      ceil(date_part('epoch', v_next_due - clock_timestamp()) * 1000), 0), 2147483647)::bigint END);
  RETURN NEXT;
END
$routine$`,
};
