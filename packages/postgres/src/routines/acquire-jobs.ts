// oxlint-disable max-lines -- one routine is one text, read from top to bottom
import type { Routine } from "./routine.ts";

// The deletion of the row in "ready" is the acquisition. The row of the job is only read: the end of the attempt writes it.
//
// A row of a job carries only the fields that differ from job to job, since this is the widest stream of rows. Numbers come
// together in `facts`. Fields that few jobs have come as one JSON text in `rest`. If all are as usual, `rest` is the queue of a job
// under a key, which begins with the character 1.
//
// Other rows have a word at the beginning of `facts`. Rows `blocker_first` and `blocker_current` have the blocker's index, the
// waiting job's id in `id`, and the blocker's job in `rest`. The last row is `summary` with the moment, the horizon, the
// microseconds of the probes and `isLimited`. The milliseconds until the next due job follow.
//
// Locks: limits, for which it waits. Then jobs with expired leases, then ready rows, all with SKIP LOCKED. Ready rows are never
// updated, so skipping them never waits. The timeout is for jobs (see renew-leases).

/** Due jobs become running under a new lease, in the order of types, priority and due time. */
export const acquireJobs: Routine = {
  name: "acquire_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.acquire_jobs(
  p_worker_id text, p_limit integer, p_types text[], p_lease_ms float8[], p_limits integer[],
  p_mark_types text[], p_mark_priorities integer[], p_mark_at_us float8[], p_mark_ordinals bigint[],
  p_settled_until_us float8[], p_settled_ordinals bigint[], p_horizon_us float8, p_slots integer,
  p_batches text)
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
  v_horizon timestamptz;
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
  v_paused_types text[] := '{}';
  v_limited_types text[] := '{}';
  v_limit_rooms bigint[];
  v_limit_permits bigint[];
  v_limit_tokens bigint[];
  v_limit_bursts integer[];
  v_limit_costs bigint[];
  v_has_limits boolean := false;
  v_has_pauses boolean;
  v_has_deadlines boolean;
  v_has_expired boolean;
  v_has_turns boolean;
  v_has_released boolean := false;
  v_found_released boolean;
  v_aging_ms float8;
  v_requeued_ids {id}[] := '{}';
  v_requeued_from text[];
  v_key_types text[] := '{}';
  -- Types of which the jobs of one key, or those without a key, are a batch.
  v_own_batches text[] := '{}';
  v_rooms integer[] := '{}';
  v_under record;
  v_limit_looks timestamptz[];
  v_limit_starts integer[];
  v_limit integer;
  v_started integer;
  v_slots integer := p_slots;
  v_is_limited boolean := false;
  v_indexes integer[];
  v_index integer;
  v_expired_types text[] := '{}';
  v_expired_ids {id}[];
  v_expired_workers text[];
  v_expired_at timestamptz[];
  v_reclaimed_ids {id}[] := '{}';
  v_reclaimed_from text[] := '{}';
  v_reclaimed_at timestamptz[] := '{}';
  v_unripe_types text[] := '{}';
  v_ripe_at timestamptz;
  v_blocked_ids {id}[];
  v_blocker_indexes integer[];
  v_blocker_ids {id}[];
  v_next_due timestamptz;
  v_probe_us float8;
BEGIN
  -- The worker believes that all jobs of these leases have ended. A transaction of its own may still be open, so the entries
  -- are checked: a dead entry never comes back.
  IF cardinality(p_settled_until_us) > 0 THEN
    DELETE FROM {schema}.lease l
    WHERE l.ctid = ANY(ARRAY(
        SELECT d.ctid FROM unnest(p_settled_until_us, p_settled_ordinals) AS s (until_us, ordinal)
        JOIN {schema}.lease d
          ON d.leased_until = timestamptz 'epoch' + s.until_us * interval '1 us'
          AND d.first_ordinal = s.ordinal
        FOR UPDATE OF d SKIP LOCKED))
      AND NOT EXISTS (
        SELECT FROM unnest(l.job_ids, l.lease_versions) AS u (id, version)
        {probe j u.id}
        WHERE j.status = 'open' AND j.lease_version = u.version - 1);
  END IF;
  -- Usually the table of limits is empty, and this is the only look at it. The moment is that after the wait for its rows.
  IF EXISTS (SELECT FROM {schema}.job_limit) THEN
    v_has_limits := true;
    SELECT coalesce(array_agg(r.type_name), '{}'), array_agg(r.room), array_agg(r.look_at),
      array_agg(0), array_agg(r.permits), array_agg(r.tokens), array_agg(r.burst), array_agg(0)
    INTO v_limited_types, v_limit_rooms, v_limit_looks, v_limit_starts, v_limit_permits,
      v_limit_tokens, v_limit_bursts, v_limit_costs
    FROM {schema}.limit_rooms(p_types) r;
    v_now := clock_timestamp();
  END IF;
  -- The first acquisition of a worker, and those after a step of the clock, look for the latest job that was due by an
  -- earlier clock.
  IF p_horizon_us IS NULL THEN
    SELECT greatest(v_now, max(r.scheduled_at)) INTO v_horizon FROM {schema}.ready r WHERE r.is_due;
  ELSE v_horizon := greatest(v_now, timestamptz 'epoch' + p_horizon_us * interval '1 us');
  END IF;
  -- One look at what is usually empty: an acquisition of nothing costs 71 µs instead of 92 with four looks.
  SELECT EXISTS (SELECT FROM {schema}.pause),
    EXISTS (SELECT FROM {schema}.job j WHERE j.blocked_until IS NOT NULL AND j.set_aside = 'blocked'),
    EXISTS (SELECT FROM {schema}.lease l WHERE l.leased_until <= v_now),
    EXISTS (SELECT FROM {schema}.turn)
  INTO v_has_pauses, v_has_deadlines, v_has_expired, v_has_turns;
  IF v_has_pauses THEN
    SELECT p.types, p.resumes_at INTO v_paused_types, v_next_due
    FROM {schema}.paused_types(p_types, v_now) p;
  END IF;
  IF v_has_deadlines THEN
    v_next_due := least(v_next_due, {schema}.end_waits(p_types, v_paused_types, v_now));
  END IF;
  -- A batch that is not ripe waits like a paused type, and has a time of its own.
  IF p_batches IS NOT NULL THEN
    SELECT u.types, u.ripe_at INTO v_unripe_types, v_ripe_at
    FROM {schema}.unripe_types(p_batches, v_paused_types, v_now, v_horizon) u;
    v_paused_types := v_paused_types || v_unripe_types;
    v_next_due := least(v_next_due, v_ripe_at);
    v_own_batches := ARRAY(
      SELECT b.type_name FROM json_to_recordset(p_batches::json)
        AS b (type_name text, per_key boolean) WHERE b.per_key);
  END IF;
  IF v_has_expired THEN
    v_expired_types := ARRAY(
      SELECT DISTINCT l.type_name FROM {schema}.lease l
      WHERE l.leased_until <= v_now AND {type of l.type_name} = ANY(p_types)
        -- A batch that is not ripe keeps back no job under a key.
        AND (NOT {type of l.type_name} = ANY(v_paused_types)
          OR l.type_name < chr(2) AND {type of l.type_name} = ANY(v_unripe_types)));
  END IF;
  IF v_expired_types <> '{}' AND v_expired_types[1] < chr(2) THEN
    -- They stand in their queues again, and are acquired from there.
    SELECT q.ids, q.workers INTO v_requeued_ids, v_requeued_from
    FROM {schema}.requeue_expired(v_expired_types) q;
  END IF;
  -- Jobs that stand in their queues again have left turns.
  IF v_has_turns OR v_requeued_ids <> '{}' THEN
    v_key_types := ARRAY(
      SELECT u.type_name FROM unnest(p_types) WITH ORDINALITY AS u (type_name, place)
      -- A batch that is not ripe keeps back no job under a key.
      WHERE (NOT u.type_name = ANY(v_paused_types) OR u.type_name = ANY(v_unripe_types))
        AND EXISTS (SELECT FROM {schema}.turn t WHERE t.type_name = u.type_name)
      ORDER BY u.place);
    FOREACH v_type IN ARRAY v_key_types LOOP
      v_limit := array_position(v_limited_types, v_type);
      v_room := greatest(0, least(p_limits[array_position(p_types, v_type)], p_limit, v_limit_rooms[v_limit]));
      -- Jobs without a key get half of the room, if one is due. Of batches, they get every second one.
      IF NOT v_type = ANY(v_unripe_types) AND EXISTS (
        SELECT FROM {schema}.ready r WHERE r.type_name = v_type AND r.scheduled_at <= v_now)
      THEN
        IF NOT v_type = ANY(v_own_batches) THEN v_room := floor(v_room / 2.0 + random());
        ELSIF random() < 0.5 THEN
          v_room := 0;
          v_next_due := v_now;
        END IF;
      END IF;
      v_rooms := array_append(v_rooms, v_room);
    END LOOP;
  END IF;
  IF v_key_types <> '{}' THEN
    SELECT * INTO v_under FROM {schema}.acquire_under_keys(
      v_key_types, v_rooms,
      ARRAY(
        SELECT v_limit_tokens[array_position(v_limited_types, t.name)]
        FROM unnest(v_key_types) WITH ORDINALITY AS t (name, place) ORDER BY t.place),
      ARRAY(
        SELECT v_limit_bursts[array_position(v_limited_types, t.name)]
        FROM unnest(v_key_types) WITH ORDINALITY AS t (name, place) ORDER BY t.place),
      least(p_limit, p_slots), p_batches);
    v_places := v_under.places;
    v_slots := v_slots - cardinality(v_places);
    v_is_limited := v_under.is_limited;
    v_next_due := least(v_next_due, v_under.look_at);
    FOR v_place IN 1..cardinality(v_key_types) LOOP
      v_limit := array_position(v_limited_types, v_key_types[v_place]);
      CONTINUE WHEN v_limit IS NULL;
      v_limit_costs[v_limit] := v_under.costs[v_place];
      v_limit_rooms[v_limit] := greatest(0, least(
        v_limit_permits[v_limit] - v_under.starts[v_place],
        v_limit_tokens[v_limit] - v_under.costs[v_place]));
    END LOOP;
  END IF;
  -- Of many types, most have no job. One statement finds those that have one: 3 ms instead of 19 for 5,000 types.
  IF cardinality(p_types) <= 10 THEN
    v_indexes := (ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])[1:cardinality(p_types)];
  ELSE
    v_indexes := ARRAY(
      SELECT u.index FROM unnest(p_types) WITH ORDINALITY AS u (type_name, index)
      WHERE u.type_name = ANY(v_expired_types)
        OR EXISTS (SELECT FROM {schema}.ready r WHERE r.type_name = u.type_name)
      ORDER BY u.index);
  END IF;
  FOREACH v_index IN ARRAY v_indexes LOOP
    v_type := p_types[v_index];
    CONTINUE WHEN v_type = ANY(v_paused_types);
    v_room := least(
      p_limits[v_index], p_limit - cardinality(v_places) - cardinality(v_reclaimed_ids));
    IF v_type = ANY(v_key_types) THEN
      v_room := least(
        v_room, p_limits[v_index] - v_under.starts[array_position(v_key_types, v_type)]);
      IF v_type = ANY(v_own_batches)
        AND v_under.starts[array_position(v_key_types, v_type)] > 0
      THEN v_room := 0;
      END IF;
    END IF;
    v_limit := NULL;
    IF v_limited_types <> '{}' THEN
      v_limit := array_position(v_limited_types, v_type);
      v_started := cardinality(v_places) + cardinality(v_reclaimed_ids);
      IF v_limit IS NOT NULL THEN v_room := least(v_room, v_limit_rooms[v_limit], v_slots); END IF;
    END IF;
    v_taken := '{}';
    IF v_has_limits THEN
      v_aging_ms := (SELECT l.aging_ms FROM {schema}.job_limit l WHERE l.name = v_type);
    END IF;
    IF v_room > 0 THEN
      v_expired_ids := '{}';
      -- Rare: a worker has died. Its jobs have kept their places in the order, so they are merged with the pending jobs.
      -- Their leases are locked first: a lease that is renewed at this moment is passed by.
      IF v_type = ANY(v_expired_types) THEN
        v_found := ARRAY(
          SELECT l.ctid FROM {schema}.lease l
          WHERE l.leased_until <= v_now AND l.type_name = v_type FOR UPDATE SKIP LOCKED);
        SELECT coalesce(array_agg(e.id), '{}'), array_agg(e.worker_id), array_agg(e.acquired_at)
        INTO v_expired_ids, v_expired_workers, v_expired_at
        FROM (
          SELECT j.id, l.worker_id, l.acquired_at
          FROM {schema}.lease l
          CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
          JOIN {schema}.job j ON j.id = u.id
          WHERE l.ctid = ANY(v_found) AND j.status = 'open' AND j.lease_version = u.version - 1
          ORDER BY j.priority DESC, j.scheduled_at, j.ordinal
          LIMIT v_room FOR NO KEY UPDATE OF j SKIP LOCKED) e;
      END IF;
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
        SELECT r.priority, r.scheduled_at INTO v_next_priority, v_head
        FROM {schema}.ready r
        WHERE r.type_name = v_type AND r.priority < v_priority AND r.priority > v_mark_priority
        ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT 1;
        IF FOUND THEN
          v_priority := v_next_priority;
          v_mark_priority := -2147483649;
          IF v_head > v_now THEN
            v_next_due := least(v_next_due, v_head);
            CONTINUE WHEN v_head > v_horizon;
          END IF;
        ELSE
          EXIT WHEN v_mark_priority = -2147483649;
          v_priority := v_mark_priority;
        END IF;
        IF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type; END IF;
        -- The probe begins at the first job that the probe above has found, so dead index entries are read once. A
        -- low-water mark lets it begin behind dead entries that a long transaction keeps. Rows are passed on by their
        -- place in the table: they are locked here, so they stay there until the deletion.
        IF v_priority = v_mark_priority THEN
          SELECT array_agg(f.ctid), coalesce(bool_or(f.released_at IS NOT NULL), false)
          INTO v_found, v_found_released
          FROM (
            SELECT r.ctid, r.released_at FROM {schema}.ready r
            WHERE r.type_name = v_type AND r.priority = v_priority AND r.scheduled_at <= v_horizon
              AND (r.scheduled_at <= v_now OR r.is_due)
              AND (r.scheduled_at, r.ordinal) > (v_mark_at, v_mark_ordinal)
            ORDER BY r.scheduled_at, r.ordinal
            LIMIT CASE WHEN v_aging_ms IS NULL THEN v_room - cardinality(v_taken) ELSE v_room END
            FOR UPDATE SKIP LOCKED) f;
        ELSE
          SELECT array_agg(f.ctid), coalesce(bool_or(f.released_at IS NOT NULL), false)
          INTO v_found, v_found_released
          FROM (
            SELECT r.ctid, r.released_at FROM {schema}.ready r
            WHERE r.type_name = v_type AND r.priority = v_priority AND r.scheduled_at <= v_horizon
              AND (r.scheduled_at <= v_now OR r.is_due)
              AND r.scheduled_at >= v_head
            ORDER BY r.scheduled_at, r.ordinal
            LIMIT CASE WHEN v_aging_ms IS NULL THEN v_room - cardinality(v_taken) ELSE v_room END
            FOR UPDATE SKIP LOCKED) f;
        END IF;
        v_taken := v_taken || v_found;
        v_has_released := v_has_released OR v_found_released;
        EXIT WHEN cardinality(v_taken) >= v_room AND v_aging_ms IS NULL;
      END LOOP;
      -- The first of each priority are found. Those that have waited for long come before.
      IF v_aging_ms IS NOT NULL THEN
        v_taken := ARRAY(
          SELECT r.ctid FROM {schema}.ready r WHERE r.ctid = ANY(v_taken)
          ORDER BY r.scheduled_at - r.priority * v_aging_ms * interval '1 ms', r.ordinal
          LIMIT v_room);
      END IF;
      -- Rows that are locked and not chosen are released when this statement ends.
      IF v_expired_ids <> '{}' THEN
        SELECT coalesce(array_agg(c.place) FILTER (WHERE c.place IS NOT NULL), '{}'),
          v_reclaimed_ids
            || coalesce(array_agg(c.id) FILTER (WHERE c.place IS NULL), '{}'),
          v_reclaimed_from
            || coalesce(array_agg(c.worker_id) FILTER (WHERE c.place IS NULL), '{}'),
          v_reclaimed_at
            || coalesce(array_agg(c.acquired_at) FILTER (WHERE c.place IS NULL), '{}')
        INTO v_taken, v_reclaimed_ids, v_reclaimed_from, v_reclaimed_at
        FROM (
          SELECT r.ctid AS place, NULL::{id} AS id, NULL::text AS worker_id,
            NULL::timestamptz AS acquired_at, r.priority, r.scheduled_at, r.ordinal
          FROM {schema}.ready r WHERE r.ctid = ANY(v_taken)
          UNION ALL
          SELECT NULL, e.id, e.worker_id, e.acquired_at, j.priority, j.scheduled_at, j.ordinal
          FROM unnest(v_expired_ids, v_expired_workers, v_expired_at)
            AS e (id, worker_id, acquired_at)
          JOIN {schema}.job j ON j.id = e.id
          ORDER BY priority DESC, scheduled_at, ordinal LIMIT v_room) c;
      END IF;
    ELSIF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type;
    END IF;
    v_places := v_places || v_taken;
    IF v_limit IS NOT NULL THEN
      v_started := cardinality(v_places) + cardinality(v_reclaimed_ids) - v_started;
      v_limit_starts[v_limit] := v_started;
      v_slots := v_slots - v_started;
    END IF;
  END LOOP;
  IF v_limited_types <> '{}' THEN
    PERFORM {schema}.spend_tokens(v_limited_types, ARRAY(
      SELECT (u.starts + u.costs)::integer
      FROM unnest(v_limit_starts, v_limit_costs) WITH ORDINALITY AS u (starts, costs, place)
      ORDER BY u.place), v_now);
  END IF;
  v_probe_us := date_part('epoch', clock_timestamp() - v_now) * 1000000;

  IF v_reclaimed_ids <> '{}' THEN
    -- The attempt of the lost worker ends here. The job gets no ready row: its new lease follows at once.
    PERFORM {schema}.end_expired_attempts(v_reclaimed_ids, v_reclaimed_from, v_reclaimed_at, v_now);
  END IF;
  IF v_expired_types <> '{}' THEN
    DELETE FROM {schema}.lease l
    WHERE l.ctid = ANY(ARRAY(
        SELECT d.ctid FROM {schema}.lease d
        WHERE d.leased_until <= v_now AND d.type_name = ANY(v_expired_types)
        FOR UPDATE SKIP LOCKED))
      AND NOT EXISTS (
        SELECT FROM unnest(l.job_ids, l.lease_versions) AS u (id, version)
        {probe j u.id}
        WHERE j.status = 'open' AND j.lease_version = u.version - 1);
  END IF;
  IF cardinality(v_places) > 0 OR v_reclaimed_ids <> '{}' THEN
    -- A job that never was released has never had a blocker. Of jobs under keys that is not known.
    IF v_has_released OR v_reclaimed_ids <> '{}' OR v_key_types <> '{}' THEN
      SELECT array_agg(b.job_id), array_agg(b.index), array_agg(b.blocker_sequence_id)
      INTO v_blocked_ids, v_blocker_indexes, v_blocker_ids
      FROM (
        SELECT r.job_id FROM {schema}.ready r
        WHERE r.ctid = ANY(v_places) AND r.released_at IS NOT NULL
        UNION ALL
        SELECT e.id FROM unnest(v_reclaimed_ids) AS e (id)
      ) t
      JOIN {schema}.job_blocker b ON b.job_id = t.job_id;
    END IF;
    RETURN QUERY
    WITH taken AS (
      DELETE FROM {schema}.ready r WHERE r.ctid = ANY(v_places) RETURNING r.job_id
    ), found AS MATERIALIZED (
      SELECT j.*
      FROM (
        SELECT t.job_id FROM taken t
        UNION ALL
        SELECT e.id FROM unnest(v_reclaimed_ids) AS e (id)
      ) t
      {probe j t.job_id}
      WHERE j.status = 'open' AND array_position(p_types, j.type_name) IS NOT NULL -- Others may write types.
    ), leased AS (
      INSERT INTO {schema}.lease (
        leased_until, acquired_at, set_at, first_ordinal, last_ordinal, type_name, worker_id,
        job_ids, lease_versions)
      SELECT v_now + p_lease_ms[array_position(p_types, f.type_name)] * interval '1 ms',
        v_now, v_now, min(f.ordinal), max(f.ordinal), coalesce(f.queue, f.type_name), p_worker_id,
        array_agg(f.id), array_agg(f.lease_version + 1)
      FROM found f GROUP BY f.type_name, f.queue
    )
    SELECT j.id,
      concat_ws(' ', array_position(p_types, j.type_name), j.ordinal,
        (date_part('epoch', j.created_at) * 1000000)::bigint, j.attempt + 1, j.lease_version + 1,
        CASE WHEN j.position > 0 THEN concat_ws(' ', j.position,
          (date_part('epoch', j.sequence_created_at) * 1000000)::bigint) END),
      j.input,
      CASE WHEN j.position > 0 THEN j.sequence_id END,
      CASE WHEN j.position > 0 THEN j.sequence_type_name END,
      NULLIF(j.root_sequence_id, j.id), j.origin_id, j.trace_context,
      CASE WHEN {usual j} THEN j.queue ELSE json_build_object(
          {rare j},
          'queue', j.queue,
          'reclaimed_from', CASE WHEN v_reclaimed_ids <> '{}' OR v_requeued_ids <> '{}'
            THEN coalesce(v_reclaimed_from[array_position(v_reclaimed_ids, j.id)],
              v_requeued_from[array_position(v_requeued_ids, j.id)]) END)::text END
    FROM found j;
    IF v_blocked_ids IS NOT NULL THEN
      RETURN QUERY SELECT u.job_id, 'blocker_first ' || u.index, NULL::text, NULL::{id},
        NULL::text, NULL::{id}, NULL::{id}, NULL::text, {job j}
      FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
      {probe j u.id} {lease j};
      RETURN QUERY SELECT u.job_id, 'blocker_current ' || u.index, NULL::text, NULL::{id},
        NULL::text, NULL::{id}, NULL::{id}, NULL::text, {job j}
      FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
      CROSS JOIN LATERAL (
        SELECT c.* FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
        ORDER BY c.position DESC LIMIT 1) j {lease j};
    END IF;
  END IF;
  -- After the deletion, so that a row that is locked elsewhere, or left behind by a limit, still counts as due.
  IF cardinality(v_places) + cardinality(v_reclaimed_ids) < p_limit THEN
    IF p_batches IS NOT NULL THEN
      -- Of the jobs that were left behind.
      SELECT u.types, u.ripe_at INTO v_unripe_types, v_ripe_at
      FROM {schema}.unripe_types(p_batches, v_paused_types, v_now, v_horizon) u;
      v_next_due := least(v_next_due, v_ripe_at);
    END IF;
    FOREACH v_type IN ARRAY v_due_types LOOP
      CONTINUE WHEN v_type = ANY(v_unripe_types);
      v_priority := 2147483648;
      LOOP
        SELECT r.priority, CASE WHEN r.is_due THEN least(r.scheduled_at, v_now) ELSE r.scheduled_at END
        INTO v_priority, v_head
        FROM {schema}.ready r WHERE r.type_name = v_type AND r.priority < v_priority
        ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_limit := array_position(v_limited_types, v_type);
        IF v_limit IS NOT NULL AND v_head <= v_now
          AND (v_slots <= 0 OR v_limit_starts[v_limit] >= v_limit_rooms[v_limit])
        THEN
          -- Kept back. Without a slot there is no time to wait for: the end of an attempt is the reason to look again.
          v_is_limited := true;
          IF v_limit_starts[v_limit] >= v_limit_rooms[v_limit] THEN
            v_next_due := least(v_next_due, v_limit_looks[v_limit]);
          END IF;
        ELSE v_next_due := least(v_next_due, v_head);
        END IF;
      END LOOP;
    END LOOP;
  END IF;
  -- GREATEST and LEAST skip NULL, which would make "none" 0; concat_ws skips the last field if it is NULL.
  facts := concat_ws(' ', 'summary', (date_part('epoch', v_now) * 1000000)::bigint,
    (date_part('epoch', v_horizon) * 1000000)::bigint, v_probe_us::bigint,
    v_is_limited::integer, CASE WHEN v_next_due IS NOT NULL THEN least(greatest(
      ceil(date_part('epoch', v_next_due - clock_timestamp()) * 1000), 0), 2147483647)::bigint END);
  RETURN NEXT;
END
$routine$`,
};
