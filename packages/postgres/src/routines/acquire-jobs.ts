import type { Routine } from "./routine.ts";

// A row of a job carries only the fields that differ from job to job, since this is the widest stream of rows. Numbers come
// together in `facts`. Fields that few jobs have come as one JSON text in `rest`.
//
// Other rows have a word at the beginning of `facts`. Rows `blocker_first` and `blocker_current` have the blocker's index, the
// waiting job's id in `id`, and the blocker's job in `rest`. The last row is `summary` with the moment, the microseconds of
// the probes, and the milliseconds until the next due job.

/** Due jobs become running under a new lease, in the order of types, priority and due time. */
export const acquireJobs: Routine = {
  name: "acquire_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.acquire_jobs(
  p_worker_id text, p_limit integer, p_types text[], p_lease_ms float8[], p_limits integer[],
  p_mark_types text[], p_mark_priorities integer[], p_mark_at_us float8[], p_mark_ordinals bigint[],
  p_leases_after_us float8)
RETURNS TABLE (
  id {id}, facts text, input text, sequence_id {id}, sequence_type_name text,
  root_sequence_id {id}, origin_id {id}, trace_context text, rest text)
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_leases_after timestamptz := coalesce(
    timestamptz 'epoch' + p_leases_after_us * interval '1 us', '-infinity');
  v_places tid[] := '{}';
  v_taken tid[];
  v_found tid[];
  v_type text;
  v_room integer;
  -- Wider than priorities: the loop begins above the highest and ends below the lowest.
  v_priority bigint;
  v_next_priority integer;
  v_found_priority integer;
  v_head timestamptz;
  v_mark_priority bigint;
  v_mark_at timestamptz;
  v_mark_ordinal bigint;
  v_due_types text[] := '{}';
  v_expired_types text[];
  v_reclaimed_ids {id}[] := '{}';
  v_reclaimed_from text[] := '{}';
  v_blocked_ids {id}[];
  v_blocker_indexes integer[];
  v_blocker_ids {id}[];
  v_next_due timestamptz;
  v_probe_us float8;
BEGIN
  v_expired_types := ARRAY(
    SELECT DISTINCT j.type_name FROM {schema}.job j
    WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = ANY(p_types)
      AND j.leased_until > v_leases_after);
  FOR v_index IN 1..cardinality(p_types) LOOP
    v_type := p_types[v_index];
    v_room := least(p_limits[v_index], p_limit - cardinality(v_places));
    v_taken := '{}';
    IF v_room > 0 THEN
      v_priority := 2147483648;
      LOOP
        v_mark_priority := -2147483649;
        IF cardinality(p_mark_types) > 0 THEN
          SELECT m.priority, timestamptz 'epoch' + m.at_us * interval '1 us', m.ordinal
          INTO v_found_priority, v_mark_at, v_mark_ordinal
          FROM unnest(p_mark_types, p_mark_priorities, p_mark_at_us, p_mark_ordinals)
            AS m (type_name, priority, at_us, ordinal)
          WHERE m.type_name = v_type AND m.priority < v_priority
          ORDER BY m.priority DESC LIMIT 1;
          IF FOUND THEN v_mark_priority := v_found_priority; END IF;
        END IF;
        -- The next lower priority that has jobs, and its earliest due time: one probe, however many jobs there are.
        SELECT j.priority, j.scheduled_at INTO v_next_priority, v_head
        FROM {schema}.job j
        WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority < v_priority
          AND j.priority > v_mark_priority
        ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT 1;
        IF FOUND THEN
          v_priority := v_next_priority;
          v_mark_priority := -2147483649;
          IF v_head > v_now THEN
            v_next_due := least(v_next_due, v_head);
            CONTINUE;
          END IF;
        ELSE
          EXIT WHEN v_mark_priority = -2147483649;
          v_priority := v_mark_priority;
        END IF;
        IF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type; END IF;
        -- The probe begins at the first job that the probe above has found, so dead index entries are read once. A
        -- low-water mark lets it begin behind dead entries that a long transaction keeps. Rows are passed on by their
        -- place in the table: they are locked here, so they stay there until the update.
        IF v_priority = v_mark_priority THEN
          v_found := ARRAY(
            SELECT j.ctid FROM {schema}.job j
            WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority = v_priority
              AND j.scheduled_at <= v_now
              AND (j.scheduled_at, j.ordinal) > (v_mark_at, v_mark_ordinal)
            ORDER BY j.scheduled_at, j.ordinal
            LIMIT v_room - cardinality(v_taken)
            FOR NO KEY UPDATE SKIP LOCKED);
        ELSE
          v_found := ARRAY(
            SELECT j.ctid FROM {schema}.job j
            WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority = v_priority
              AND j.scheduled_at <= v_now
              AND j.scheduled_at >= v_head
            ORDER BY j.scheduled_at, j.ordinal
            LIMIT v_room - cardinality(v_taken)
            FOR NO KEY UPDATE SKIP LOCKED);
        END IF;
        v_taken := v_taken || v_found;
        EXIT WHEN cardinality(v_taken) >= v_room;
      END LOOP;
      -- Rare: a worker has died. Its jobs have kept their places in the order, so they are merged with the pending
      -- jobs. Rows that are locked and not chosen are released when this statement ends.
      IF v_type = ANY(v_expired_types) THEN
        v_found := ARRAY(
          SELECT j.ctid FROM {schema}.job j
          WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = v_type
            AND j.leased_until > v_leases_after
          ORDER BY j.priority DESC, j.scheduled_at, j.ordinal
          LIMIT v_room FOR NO KEY UPDATE SKIP LOCKED);
        SELECT v_reclaimed_ids || array_agg(j.id), v_reclaimed_from || array_agg(j.leased_by)
        INTO v_reclaimed_ids, v_reclaimed_from
        FROM {schema}.job j WHERE j.ctid = ANY(v_found) HAVING count(*) > 0;
        v_taken := ARRAY(
          SELECT j.ctid FROM {schema}.job j WHERE j.ctid = ANY(v_taken || v_found)
          ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT v_room);
      END IF;
    ELSIF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type;
    END IF;
    v_places := v_places || v_taken;
  END LOOP;
  v_probe_us := date_part('epoch', clock_timestamp() - v_now) * 1000000;

  IF cardinality(v_places) > 0 THEN
    -- Before the update, which moves the rows.
    SELECT array_agg(b.job_id), array_agg(b.index), array_agg(b.blocker_sequence_id)
    INTO v_blocked_ids, v_blocker_indexes, v_blocker_ids
    FROM {schema}.job j JOIN {schema}.job_blocker b ON b.job_id = j.id
    WHERE j.ctid = ANY(v_places);
    RETURN QUERY UPDATE {schema}.job j SET
      status = 'running', attempt = j.attempt + 1, lease_version = j.lease_version + 1,
      leased_by = p_worker_id, last_attempt_at = v_now,
      leased_until = v_now + p_lease_ms[array_position(p_types, j.type_name)] * interval '1 ms',
      last_attempt_error = CASE WHEN j.status = 'running'
        THEN 'The lease of worker ' || coalesce(j.leased_by, '?') || ' expired'
        ELSE j.last_attempt_error END
    WHERE j.ctid = ANY(v_places)
    RETURNING j.id,
      concat_ws(' ', array_position(p_types, j.type_name), j.ordinal,
        (date_part('epoch', j.created_at) * 1000000)::bigint, j.attempt, j.lease_version,
        CASE WHEN j.position > 0 THEN concat_ws(' ', j.position,
          (date_part('epoch', j.sequence_created_at) * 1000000)::bigint) END),
      j.input,
      CASE WHEN j.position > 0 THEN j.sequence_id END,
      CASE WHEN j.position > 0 THEN j.sequence_type_name END,
      NULLIF(j.root_sequence_id, j.id), j.origin_id, j.trace_context,
      CASE WHEN {usual j}
        THEN NULL ELSE json_build_object(
          {rare j},
          'reclaimed_from', CASE WHEN v_reclaimed_ids <> '{}'
            THEN v_reclaimed_from[array_position(v_reclaimed_ids, j.id)] END)::text END;
    IF v_blocked_ids IS NOT NULL THEN
      RETURN QUERY SELECT u.job_id, 'blocker_first ' || u.index, NULL::text, NULL::{id},
        NULL::text, NULL::{id}, NULL::{id}, NULL::text, {job j}
      FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
      JOIN {schema}.job j ON j.id = u.id;
      RETURN QUERY SELECT u.job_id, 'blocker_current ' || u.index, NULL::text, NULL::{id},
        NULL::text, NULL::{id}, NULL::{id}, NULL::text, {job j}
      FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
      CROSS JOIN LATERAL (
        SELECT c.* FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
        ORDER BY c.position DESC LIMIT 1) j;
    END IF;
  END IF;
  -- After the update, so that a row that is locked elsewhere, or left behind by a limit, still counts as due.
  IF cardinality(v_places) < p_limit THEN
    FOREACH v_type IN ARRAY v_due_types LOOP
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
  -- GREATEST and LEAST skip NULL, which would make "none" 0; concat_ws skips the last field if it is NULL.
  facts := concat_ws(' ', 'summary', (date_part('epoch', v_now) * 1000000)::bigint,
    v_probe_us::bigint,
    CASE WHEN v_next_due IS NOT NULL THEN least(greatest(
      ceil(date_part('epoch', v_next_due - clock_timestamp()) * 1000), 0), 2147483647)::bigint END);
  RETURN NEXT;
END
$routine$`,
};
