// oxlint-disable max-lines -- one routine is one text, read from top to bottom
import type { Routine } from "./routine.ts";

// Jobs under keys. A turn says that a queue may have something. The keys of due turns are locked without waiting, so two
// acquisitions never wait for each other. Then the turns that are visible are deleted, and the truth is read in a later
// snapshot. A permit that ends after the deletion leaves a turn that was not deleted, and so does a job that commits. At the
// end each queue gets its next turn, if it has due jobs and is not full. One transaction: after a crash the turns are as before.
//
// The turns are the order of service. A queue that has started its weight gets a turn behind those that waited, with a microsecond
// of its own. Else all queues of one acquisition would be due at once, and always the same ones would be first. A queue that
// lacked room in the middle of its turn keeps its place, and `used` counts the jobs that it has started.
//
// A full queue gets no turn: the end of each of its permits leaves one. If types share the limit, that turn is of another
// type, so the queue is looked at again within a second.

/** Called by `acquire_jobs`: the places of the ready rows to acquire, which are locked. Also the starts and tokens of each type. */
export const acquireUnderKeys: Routine = {
  name: "acquire_under_keys",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.acquire_under_keys(
  p_types text[], p_rooms integer[], p_tokens bigint[], p_bursts integer[], p_room integer,
  p_batches text)
RETURNS TABLE (
  places tid[], starts integer[], costs bigint[], look_at timestamptz, is_limited boolean)
LANGUAGE plpgsql VOLATILE
{settings}
SET enable_hashjoin = on
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_now_us bigint;
  v_type text;
  v_room integer;
  -- How many queues are looked at.
  v_queue_max integer;
  v_min_size integer;
  v_wait interval;
  v_ripe_at timestamptz;
  v_ripe_count integer;
  v_turn record;
  v_key text;
  v_limit text;
  v_keys text[] := '{}';
  v_queues text[];
  v_key_ids text[];
  v_limit_names text[];
  v_looks timestamptz[];
  v_used smallint[];
  v_is_last boolean;
  -- The overall bounds of limits that types share: of those that were locked.
  v_shared text[] := '{}';
  v_shared_rooms bigint[] := '{}';
  v_shared_tokens bigint[] := '{}';
  v_shared_bursts integer[] := '{}';
  v_shared_looks timestamptz[] := '{}';
  v_expired tid[];
  v_place integer;
  v_skipped integer;
  v_found tid[];
  v_taken integer;
  v_cost bigint;
  v_is_held boolean := false;
  v_row record;
BEGIN
  places := '{}';
  starts := array_fill(0, ARRAY[cardinality(p_types)]);
  costs := array_fill(0::bigint, ARRAY[cardinality(p_types)]);
  is_limited := false;
  -- An expired lease is no permit, unless a renewal has locked it.
  v_expired := ARRAY(
    SELECT e.ctid FROM {schema}.lease e
    WHERE e.leased_until <= clock_timestamp() AND e.type_name < chr(2) FOR UPDATE SKIP LOCKED);
  FOR v_index IN 1..cardinality(p_types) LOOP
    v_type := p_types[v_index];
    v_room := least(p_rooms[v_index], p_room - cardinality(places));
    v_min_size := NULL;
    IF p_batches IS NOT NULL THEN
      SELECT b.min_size, b.max_wait_ms * interval '1 ms' INTO v_min_size, v_wait
      FROM json_to_recordset(p_batches::json)
        AS b (type_name text, min_size integer, max_wait_ms float8, per_key boolean)
      WHERE b.type_name = v_type AND b.per_key;
    END IF;
    -- Of a batch, all jobs are of the first queue that is ripe.
    IF v_min_size IS NULL THEN v_room := least(v_room, 100); END IF;
    v_queue_max := CASE WHEN v_min_size IS NULL THEN v_room ELSE 100 END;
    v_now := clock_timestamp();
    IF v_room <= 0 THEN
      -- A batch may leave the room to the jobs without a key.
      is_limited := is_limited OR ((v_min_size IS NULL OR p_room <= 0) AND EXISTS (
        SELECT FROM {schema}.turn t WHERE t.type_name = v_type AND t.look_at <= v_now));
      CONTINUE;
    END IF;
    -- Keys that have ended or are full start nothing: others may stand behind them. Few keys are looked at in one round, since
    -- all of their turns are deleted.
    FOR v_round IN 1..100 LOOP
      v_queues := '{}';
      v_key_ids := '{}';
      v_limit_names := '{}';
      v_looks := '{}';
      v_used := '{}';
      v_is_last := true;
      v_skipped := 0;
      v_ripe_count := 0;
      FOR v_turn IN
        SELECT t.queue, t.look_at, t.used, t.tableoid::bigint AS salt FROM {schema}.turn t
        WHERE t.type_name = v_type AND t.look_at <= v_now ORDER BY t.look_at
      LOOP
        CONTINUE WHEN v_turn.queue = ANY(v_queues);
        v_key := {key of v_turn.queue};
        v_limit := split_part(v_turn.queue, chr(1), 2);
        -- A key that was looked at before, in another round or for another type, is counted in the next acquisition.
        IF v_key = ANY(v_keys) THEN v_is_held := true; CONTINUE; END IF;
        v_place := NULL;
        IF v_limit <> replace(v_type, chr(1), '') THEN
          v_place := array_position(v_shared, v_limit);
          IF v_place IS NULL THEN
            SELECT r.room, r.tokens, r.burst, r.look_at INTO v_row
            FROM {schema}.shared_room(v_limit) r;
            v_shared := v_shared || v_limit;
            v_shared_rooms := array_append(v_shared_rooms, v_row.room);
            v_shared_tokens := array_append(v_shared_tokens, v_row.tokens);
            v_shared_bursts := array_append(v_shared_bursts, v_row.burst);
            v_shared_looks := array_append(v_shared_looks, v_row.look_at);
            v_place := cardinality(v_shared);
          END IF;
          -- Its turns stay. The look is bounded: a limit that is full has turns of all its keys.
          IF v_shared_rooms[v_place] <= 0 OR v_shared_tokens[v_place] <= 0 THEN
            is_limited := true;
            look_at := least(look_at, v_shared_looks[v_place]);
            v_skipped := v_skipped + 1;
            EXIT WHEN v_skipped > 100;
            CONTINUE;
          END IF;
        END IF;
        -- The number of the table keeps the locks of two schemas apart.
        IF NOT pg_try_advisory_xact_lock(hashtextextended(v_key, v_turn.salt)) THEN
          v_is_held := true;
          CONTINUE;
        END IF;
        v_keys := v_keys || v_key;
        v_queues := v_queues || v_turn.queue;
        v_key_ids := v_key_ids || v_key;
        v_limit_names := v_limit_names || v_limit;
        v_looks := v_looks || v_turn.look_at;
        v_used := array_append(v_used, v_turn.used);
        IF v_min_size IS NOT NULL
          AND {schema}.queue_ripe_at(v_turn.queue, v_min_size, v_wait, v_now, '{}') <= v_now
        THEN v_ripe_count := v_ripe_count + 1;
        END IF;
        -- Those that are not held are left to others. A batch that is ripe may be kept back by bounds.
        IF v_ripe_count >= 3 THEN v_is_last := false; EXIT; END IF;
        IF cardinality(v_queues) >= v_queue_max THEN v_is_last := false; EXIT; END IF;
      END LOOP;
      EXIT WHEN v_queues = '{}';
      -- Before the look, in a statement of its own. A queue with more turns is looked at again.
      DELETE FROM {schema}.turn d WHERE d.ctid = ANY(ARRAY(
        SELECT t.ctid FROM unnest(v_queues) AS q (queue)
        CROSS JOIN LATERAL (
          SELECT t.ctid FROM {schema}.turn t
          WHERE t.queue = q.queue AND t.look_at <= v_now LIMIT 5000) t));
      v_now := clock_timestamp();
      v_now_us := date_part('epoch', v_now) * 1000000;
      FOR v_row IN
        WITH looked AS MATERIALIZED (
          SELECT q.place, q.queue, q.key_id, q.limit_name, q.look_at, b.used, b.weight, b.concurrency, b.aging_ms,
            b.paused_until, b.burst, b.step, p.permits,
            greatest(v_now_us, least(coalesce(b.back_at_us, v_now_us), v_now_us + b.burst * b.step)) AS back,
            CASE WHEN b.paused_until > v_now THEN 0 ELSE least(
              CASE WHEN v_min_size IS NOT NULL THEN v_room ELSE b.weight * CASE WHEN v_is_last AND starts[v_index] = 0
                THEN ceil(v_room::float8 / cardinality(v_queues))::integer ELSE 1 END - b.used END,
              CASE WHEN b.concurrency IS NOT NULL THEN greatest(b.concurrency - p.permits, 0) END,
              v_room)::integer END AS room,
            CASE WHEN v_min_size IS NOT NULL
              THEN {schema}.queue_ripe_at(q.queue, v_min_size, v_wait, v_now, '{}') END AS ripe_at
          FROM unnest(v_queues, v_key_ids, v_limit_names, v_looks, v_used)
            WITH ORDINALITY AS q (queue, key_id, limit_name, look_at, used, place)
          LEFT JOIN {schema}.job_limit l ON l.name = {unescaped q.limit_name}
          LEFT JOIN {schema}.limit_key k ON k.id = q.key_id
          CROSS JOIN LATERAL (
            SELECT coalesce(k.concurrency, l.key_concurrency) AS concurrency,
              coalesce(k.weight, 1) AS weight,
              coalesce(q.used, 0) % coalesce(k.weight, 1) AS used, l.aging_ms, k.back_at_us,
              greatest(k.paused_until, (
                SELECT coalesce(p.paused_until, 'infinity') FROM {schema}.pause p
                WHERE p.type_name = {unescaped q.limit_name})) AS paused_until,
              CASE WHEN k.rate_count IS NULL THEN l.key_rate_burst ELSE k.rate_burst END AS burst,
              CASE WHEN k.rate_count IS NULL THEN ceil(l.key_rate_per_ms * 1000 / l.key_rate_count)
                ELSE ceil(k.rate_per_ms * 1000 / k.rate_count) END::bigint AS step) b
          CROSS JOIN LATERAL (
            SELECT count(*) AS permits
            FROM {schema}.lease e
            CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
            -- OFFSET 0 keeps the planner from reading the whole table.
            CROSS JOIN LATERAL (
              SELECT FROM {schema}.job j
              WHERE j.id = u.id AND j.status = 'open' AND j.lease_version = u.version - 1 OFFSET 0) j
            WHERE b.concurrency IS NOT NULL AND e.type_name < chr(2)
              AND e.type_name >= q.key_id AND e.type_name < {end of q.key_id}
              AND NOT e.ctid = ANY(v_expired)) p
        ), keys AS MATERIALIZED (
          SELECT l.place, l.queue, l.key_id, l.limit_name, l.look_at, l.used, l.weight, l.concurrency,
            l.aging_ms, l.paused_until, l.burst, l.step, l.permits, l.back, l.ripe_at,
            CASE WHEN v_min_size IS NULL OR l.place = (
              SELECT min(f.place) FROM looked f WHERE f.room > 0 AND f.ripe_at <= v_now)
              THEN l.room ELSE 0 END AS room
          FROM looked l
        ), candidates AS MATERIALIZED (
          SELECT k.place, k.weight, k.limit_name, k.step, k.burst, k.back, c.ctid, c.cost,
            row_number() OVER w + k.used AS rank, sum(least(c.cost, k.burst)) OVER w AS key_cost
          FROM keys k
          CROSS JOIN LATERAL (
            SELECT r.ctid, r.priority, r.scheduled_at, r.ordinal, coalesce((
              SELECT j.start_cost FROM {schema}.job j
              WHERE j.id = r.job_id AND j.start_cost IS NOT NULL), 1) AS cost
            FROM {schema}.ready r
            WHERE k.aging_ms IS NULL AND r.type_name = k.queue AND (r.scheduled_at <= v_now OR r.is_due)
            ORDER BY r.priority DESC, r.scheduled_at, r.ordinal
            LIMIT k.room FOR UPDATE OF r SKIP LOCKED) c
          WINDOW w AS (PARTITION BY k.place ORDER BY c.priority DESC, c.scheduled_at, c.ordinal)
          UNION ALL
          SELECT k.place, k.weight, k.limit_name, k.step, k.burst, k.back, c.ctid, c.cost,
            row_number() OVER w + k.used, sum(least(c.cost, k.burst)) OVER w
          FROM keys k
          CROSS JOIN LATERAL (
            SELECT r.ctid, r.priority, r.scheduled_at, r.ordinal, coalesce((
              SELECT j.start_cost FROM {schema}.job j
              WHERE j.id = r.job_id AND j.start_cost IS NOT NULL), 1) AS cost
            FROM {schema}.ready r
            WHERE k.aging_ms IS NOT NULL AND r.type_name = k.queue
              AND (r.scheduled_at <= v_now OR r.is_due)
            ORDER BY r.scheduled_at - r.priority * k.aging_ms * interval '1 ms', r.ordinal
            LIMIT k.room FOR UPDATE OF r SKIP LOCKED) c
          WINDOW w AS (PARTITION BY k.place ORDER BY
            c.scheduled_at - c.priority * k.aging_ms * interval '1 ms', c.ordinal)
        ), admitted AS (
          SELECT a.*,
            row_number() OVER o AS number,
            least(a.cost, p_bursts[v_index]) AS type_cost,
            sum(least(a.cost, p_bursts[v_index])) OVER o AS type_costs,
            row_number() OVER s AS shared_number,
            least(a.cost, x.burst) AS shared_cost,
            sum(least(a.cost, x.burst)) OVER s AS shared_costs,
            x.room AS shared_room, x.tokens AS shared_tokens
          FROM candidates a
          LEFT JOIN unnest(v_shared, v_shared_rooms, v_shared_tokens, v_shared_bursts)
            AS x (name, room, tokens, burst) ON x.name = a.limit_name
          WHERE a.step IS NULL OR floor(a.burst - (a.back - v_now_us)::float8 / a.step) >= a.key_cost
          WINDOW
            o AS (ORDER BY (a.rank - 1) / a.weight, a.place, a.rank ROWS UNBOUNDED PRECEDING),
            s AS (PARTITION BY a.limit_name
              ORDER BY (a.rank - 1) / a.weight, a.place, a.rank ROWS UNBOUNDED PRECEDING)
        ), started AS MATERIALIZED (
          SELECT a.* FROM admitted a
          WHERE a.number <= v_room
            AND (p_tokens[v_index] IS NULL OR a.type_costs <= p_tokens[v_index])
            AND (a.shared_room IS NULL OR a.shared_number <= a.shared_room)
            AND (a.shared_tokens IS NULL OR a.shared_costs <= a.shared_tokens)
        )
        SELECT k.*, coalesce(c.found, 0) AS found, coalesce(s.taken, 0) AS taken,
          coalesce(s.ctids, '{}') AS ctids, s.last_number, coalesce(s.type_cost, 0) AS type_cost,
          coalesce(s.shared_cost, 0) AS shared_cost, coalesce(s.key_cost, 0) AS key_cost
        FROM keys k
        LEFT JOIN (SELECT c.place, count(*) AS found FROM candidates c GROUP BY c.place) c
          ON c.place = k.place
        LEFT JOIN (
          SELECT s.place, count(*) AS taken, array_agg(s.ctid) AS ctids, max(s.number) AS last_number,
            sum(s.type_cost) AS type_cost, sum(s.shared_cost) AS shared_cost,
            max(s.key_cost) AS key_cost
          FROM started s GROUP BY s.place) s ON s.place = k.place
        ORDER BY k.key_id COLLATE "C"
      LOOP
        v_taken := v_row.taken;
        places := places || v_row.ctids;
        starts[v_index] := starts[v_index] + v_taken;
        costs[v_index] := costs[v_index] + v_row.type_cost;
        v_place := array_position(v_shared, v_row.limit_name);
        IF v_place IS NOT NULL AND v_taken > 0 THEN
          v_shared_rooms[v_place] := v_shared_rooms[v_place] - v_taken;
          v_shared_tokens[v_place] := v_shared_tokens[v_place] - v_row.shared_cost;
          PERFORM {schema}.spend_tokens(ARRAY[{unescaped v_row.limit_name}],
            ARRAY[v_row.shared_cost::integer], v_now);
        END IF;
        IF v_taken > 0 AND v_row.step IS NOT NULL THEN
          INSERT INTO {schema}.limit_key AS k (id, limit_name, key, back_at_us)
          VALUES (v_row.key_id, {unescaped v_row.limit_name},
            {unescaped split_part(v_row.key_id, chr(1), 3)}, v_row.back + v_row.key_cost * v_row.step)
          ON CONFLICT (id) DO UPDATE SET back_at_us = excluded.back_at_us;
        END IF;
        -- The next due job that stays, whether locked or not.
        SELECT coalesce(j.start_cost, 1) INTO v_cost
        FROM {schema}.ready r JOIN {schema}.job j ON j.id = r.job_id
        WHERE r.type_name = v_row.queue AND (r.scheduled_at <= v_now OR r.is_due)
          AND NOT r.ctid = ANY(v_row.ctids)
        ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT 1;
        CONTINUE WHEN NOT FOUND;
        IF v_row.paused_until > v_now THEN
          -- A pause that is being changed has left its turns before this commits, so the queue is looked at again. Another one
          -- cannot be changed before this has committed.
          PERFORM 1 FROM {schema}.limit_key k
          WHERE k.id = v_row.key_id AND k.paused_until = v_row.paused_until FOR SHARE SKIP LOCKED;
          IF NOT FOUND THEN
            PERFORM 1 FROM {schema}.pause p
            WHERE p.type_name = {unescaped v_row.limit_name}
              AND coalesce(p.paused_until, 'infinity') = v_row.paused_until FOR SHARE SKIP LOCKED;
          END IF;
          IF NOT FOUND THEN v_row.paused_until := v_now + interval '50 ms'; END IF;
          CONTINUE WHEN v_row.paused_until = 'infinity';
          INSERT INTO {schema}.turn VALUES (v_row.paused_until, v_type, v_row.queue);
        ELSIF v_row.permits + v_taken >= v_row.concurrency THEN
          is_limited := true;
          look_at := least(look_at, v_now + interval '1 s');
          IF v_place IS NOT NULL OR v_row.limit_name <> v_type THEN
            INSERT INTO {schema}.turn VALUES (v_now + interval '1 s', v_type, v_row.queue);
          END IF;
        ELSIF floor(v_row.burst - (v_row.back + v_row.key_cost * v_row.step - v_now_us)::float8
            / v_row.step) < least(v_cost, v_row.burst) THEN
          is_limited := true;
          INSERT INTO {schema}.turn VALUES (
            timestamptz 'epoch' + (v_row.back + v_row.key_cost * v_row.step
              - (v_row.burst - least(v_cost, v_row.burst)) * v_row.step) * interval '1 us',
            v_type, v_row.queue);
        ELSE
          v_ripe_at := v_row.ripe_at;
          IF v_min_size IS NOT NULL AND v_taken > 0 THEN
            v_ripe_at := {schema}.queue_ripe_at(
              v_row.queue, v_min_size, v_wait, v_now, v_row.ctids);
          END IF;
          v_row.used := (v_row.used + v_taken) % v_row.weight;
          IF v_min_size IS NOT NULL THEN v_row.used := 0; END IF;
          INSERT INTO {schema}.turn VALUES (
            CASE
              WHEN v_ripe_at > v_now THEN v_ripe_at
              WHEN v_min_size IS NOT NULL AND v_row.room = 0 THEN v_row.look_at
              WHEN v_taken > 0 AND v_row.used = 0
              THEN v_now - (v_room - v_row.last_number) * interval '1 us'
              WHEN v_taken > 0 THEN v_row.look_at
              -- All were locked by others, or there was no room: it keeps its place.
              WHEN v_row.found = 0 THEN v_now + interval '50 ms'
              ELSE v_row.look_at END, v_type, v_row.queue, nullif(v_row.used, 0));
        END IF;
      END LOOP;
      EXIT WHEN v_is_last OR v_min_size IS NOT NULL;
      v_room := least(p_rooms[v_index] - starts[v_index], p_room - cardinality(places), 100);
      EXIT WHEN v_room <= 0;
      v_queue_max := v_room;
    END LOOP;
  END LOOP;
  -- The next turns, of types and limits that have room.
  IF p_room > 0 THEN
    FOR v_index IN 1..cardinality(p_types) LOOP
      CONTINUE WHEN p_rooms[v_index] <= starts[v_index];
      SELECT t.look_at INTO v_turn FROM {schema}.turn t
      WHERE t.type_name = p_types[v_index]
        AND (v_shared = '{}' OR v_is_held OR t.look_at > v_now OR NOT is_limited)
      ORDER BY t.look_at LIMIT 1;
      IF FOUND THEN look_at := least(look_at, v_turn.look_at); END IF;
    END LOOP;
  END IF;
  RETURN NEXT;
END
$routine$`,
};

/** Called by `acquire_under_keys`: the room under the overall bounds of a limit that types share, and its lock. */
export const sharedRoom: Routine = {
  name: "shared_room",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.shared_room(p_limit text)
RETURNS TABLE (room bigint, tokens bigint, burst integer, look_at timestamptz)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_name text := {unescaped p_limit};
BEGIN
  IF NOT EXISTS (SELECT FROM {schema}.job_limit l WHERE l.name = v_name AND l.is_bounded) THEN
    RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::integer, NULL::timestamptz;
    RETURN;
  END IF;
  -- Without waiting: it is not locked in the order of names.
  PERFORM 1 FROM {schema}.job_limit l WHERE l.name = v_name FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 0::bigint, 0::bigint, 1, clock_timestamp() + interval '50 ms';
    RETURN;
  END IF;
  RETURN QUERY SELECT r.permits, r.tokens, r.burst, r.look_at FROM {schema}.limit_rooms(ARRAY[v_name]) r;
END
$routine$`,
};
