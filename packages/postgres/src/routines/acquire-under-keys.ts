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
  -- The name of the type's own limit, as it stands in a queue.
  v_own text;
  v_room integer;
  -- How many queues are looked at.
  v_queue_max integer;
  v_min_size integer;
  v_wait interval;
  v_ripe_count integer;
  -- The keys that are held, and those of this round.
  v_keys text[] := '{}';
  v_queues text[];
  v_key_ids text[];
  v_limit_names text[];
  v_looks timestamptz[];
  v_used smallint[];
  v_is_last boolean;
  -- The next queues of the walk.
  v_from timestamptz;
  v_walked bigint;
  v_step bigint;
  v_read bigint;
  v_salt bigint;
  v_next record;
  v_held record;
  -- The overall bounds of limits that types share: of those that were locked. And those without room.
  v_shared text[] := '{}';
  v_shared_rooms bigint[] := '{}';
  v_shared_tokens bigint[] := '{}';
  v_shared_bursts integer[] := '{}';
  v_shared_looks timestamptz[] := '{}';
  v_full text[] := '{}';
  v_limit text;
  v_expired tid[];
  v_place integer;
  v_skipped integer;
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
    v_own := {escaped v_type};
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
    -- all of their turns are deleted. Each round goes on where the one before has ended: turns in front are of keys that are held.
    v_from := '-infinity';
    FOR v_round IN 1..100 LOOP
      v_queues := '{}';
      v_key_ids := '{}';
      v_limit_names := '{}';
      v_looks := '{}';
      v_used := '{}';
      v_is_last := true;
      v_skipped := 0;
      v_ripe_count := 0;
      v_walked := 0;
      v_step := v_queue_max;
      -- Usually one step: the first turns are of as many keys, and no other acquisition holds them.
      LOOP
        SELECT coalesce(array_agg(q.queue), '{}') AS queues, array_agg(q.key_id) AS key_ids,
          array_agg(q.limit_name) AS limit_names, array_agg(q.look_at) AS looks,
          array_agg(q.used) AS used, coalesce(sum(q.count), 0)::bigint AS count, max(q.salt) AS salt
        INTO v_next
        FROM (
          SELECT t.queue, {key of t.queue} AS key_id, split_part(t.queue, chr(1), 2) AS limit_name,
            min(t.look_at) AS look_at, (array_agg(t.used ORDER BY t.look_at))[1] AS used,
            count(*) AS count, max(t.salt) AS salt
          FROM (
            -- The number of the table keeps the locks of two schemas apart.
            SELECT o.queue, o.look_at, o.used, o.tableoid::bigint AS salt FROM {schema}.turn o
            WHERE o.type_name = v_type AND o.look_at <= v_now AND o.look_at >= v_from
            ORDER BY o.look_at OFFSET v_walked LIMIT v_step) t
          GROUP BY t.queue ORDER BY min(t.look_at)) q;
        EXIT WHEN v_next.queues = '{}';
        v_read := v_next.count;
        FOR v_limit IN
          SELECT DISTINCT n.name FROM unnest(v_next.limit_names) AS n (name)
          WHERE n.name <> v_own AND NOT n.name = ANY(v_shared)
        LOOP
          SELECT r.room, r.tokens, r.burst, r.look_at INTO v_row
          FROM {schema}.shared_room(v_limit) r;
          v_shared := v_shared || v_limit;
          v_shared_rooms := array_append(v_shared_rooms, v_row.room);
          v_shared_tokens := array_append(v_shared_tokens, v_row.tokens);
          v_shared_bursts := array_append(v_shared_bursts, v_row.burst);
          v_shared_looks := array_append(v_shared_looks, v_row.look_at);
        END LOOP;
        IF v_shared <> '{}' THEN
          v_full := ARRAY(
            SELECT x.name FROM unnest(v_shared, v_shared_rooms, v_shared_tokens) AS x (name, room, tokens)
            WHERE x.room <= 0 OR x.tokens <= 0);
          -- Their turns stay. The look is bounded: a limit that is full has turns of all its keys.
          SELECT count(*) AS count, min(x.look_at) AS look_at INTO v_row
          FROM unnest(v_next.limit_names) AS n (name)
          JOIN unnest(v_shared, v_shared_looks) AS x (name, look_at) ON x.name = n.name
          WHERE n.name = ANY(v_full);
          is_limited := is_limited OR v_row.count > 0;
          look_at := least(look_at, v_row.look_at);
          v_skipped := v_skipped + v_row.count;
        END IF;
        -- A key that was looked at before, in another round or for another type, is counted in the next acquisition. Keys are
        -- locked in the order of their turns, and no more than are looked at: the others are left to other acquisitions.
        IF v_min_size IS NULL THEN
          SELECT coalesce(array_agg(h.queue), '{}') AS queues, coalesce(array_agg(h.key_id), '{}') AS key_ids,
            array_agg(h.limit_name) AS limit_names, array_agg(h.look_at) AS looks,
            array_agg(h.used) AS used
          INTO v_held
          FROM (
            SELECT n.queue, n.key_id, n.limit_name, n.look_at, n.used
            FROM unnest(v_next.queues, v_next.key_ids, v_next.limit_names, v_next.looks, v_next.used)
              AS n (queue, key_id, limit_name, look_at, used)
            WHERE CASE WHEN n.key_id IN (SELECT k.key FROM unnest(v_keys) AS k (key)) OR n.limit_name = ANY(v_full) THEN false
              ELSE pg_try_advisory_xact_lock(hashtextextended(n.key_id, v_next.salt)) END
            LIMIT v_queue_max - cardinality(v_queues)) h;
          v_keys := v_keys || v_held.key_ids;
          v_queues := v_queues || v_held.queues;
          v_key_ids := v_key_ids || v_held.key_ids;
          v_limit_names := v_limit_names || v_held.limit_names;
          v_looks := v_looks || v_held.looks;
          v_used := v_used || v_held.used;
        ELSE
          FOR v_place IN 1..cardinality(v_next.queues) LOOP
            CONTINUE WHEN v_next.key_ids[v_place] = ANY(v_keys)
              OR v_next.limit_names[v_place] = ANY(v_full)
              OR NOT pg_try_advisory_xact_lock(
                hashtextextended(v_next.key_ids[v_place], v_next.salt));
            v_keys := v_keys || v_next.key_ids[v_place];
            v_queues := v_queues || v_next.queues[v_place];
            v_key_ids := v_key_ids || v_next.key_ids[v_place];
            v_limit_names := v_limit_names || v_next.limit_names[v_place];
            v_looks := v_looks || v_next.looks[v_place];
            v_used := array_append(v_used, v_next.used[v_place]);
            IF {schema}.queue_ripe_at(
              v_next.queues[v_place], v_min_size, v_wait, v_now, '{}') <= v_now
            THEN v_ripe_count := v_ripe_count + 1;
            END IF;
            -- A batch that is ripe may be kept back by bounds.
            EXIT WHEN v_ripe_count >= 3 OR cardinality(v_queues) >= v_queue_max;
          END LOOP;
        END IF;
        IF v_shared <> '{}' THEN
          v_is_held := v_is_held OR EXISTS (
            SELECT FROM unnest(v_next.queues, v_next.limit_names) AS n (queue, limit_name)
            WHERE NOT n.queue = ANY(v_queues) AND NOT n.limit_name = ANY(v_full));
        END IF;
        IF cardinality(v_queues) >= v_queue_max OR v_ripe_count >= 3 THEN
          v_is_last := false;
          EXIT;
        END IF;
        EXIT WHEN v_read < v_step OR v_skipped > 100;
        v_walked := v_walked + v_step;
        v_step := v_step * 2;
      END LOOP;
      EXIT WHEN v_queues = '{}';
      v_from := v_looks[cardinality(v_looks)];
      -- Before the look, in a statement of its own. A queue with more turns is looked at again.
      DELETE FROM {schema}.turn d WHERE d.ctid = ANY(ARRAY(
        SELECT t.ctid FROM unnest(v_queues) AS q (queue)
        CROSS JOIN LATERAL (
          SELECT t.ctid FROM {schema}.turn t
          WHERE t.queue = q.queue AND t.look_at <= v_now LIMIT 5000) t));
      v_now := clock_timestamp();
      v_now_us := date_part('epoch', v_now) * 1000000;
      -- One statement for all keys. Each table is probed by index inside a LATERAL with OFFSET 0 or LIMIT, since plans are
      -- kept: one that was made beside other statistics would read the whole table.
      WITH bounds AS MATERIALIZED (
        SELECT n.name AS limit_name, l.key_concurrency, l.aging_ms, l.key_rate_burst, l.key_step,
          p.paused_until
        FROM (SELECT DISTINCT u.name FROM unnest(v_limit_names) AS u (name)) n
        LEFT JOIN LATERAL (
          SELECT o.key_concurrency, o.aging_ms, o.key_rate_burst,
            ceil(o.key_rate_per_ms * 1000 / o.key_rate_count)::bigint AS key_step
          FROM {schema}.job_limit o WHERE o.name = {unescaped n.name} OFFSET 0) l ON true
        LEFT JOIN LATERAL (
          SELECT coalesce(o.paused_until, 'infinity') AS paused_until
          FROM {schema}.pause o WHERE o.type_name = {unescaped n.name} OFFSET 0) p ON true
      ), looked AS MATERIALIZED (
        SELECT q.place, q.queue, q.key_id, q.limit_name, q.look_at, b.used, b.weight, b.concurrency, l.aging_ms,
          coalesce(b.paused_until > v_now, false) AS is_paused, b.paused_until, b.burst, b.step, p.permits,
          greatest(v_now_us, least(coalesce(k.back_at_us, v_now_us), v_now_us + b.burst * b.step)) AS back,
          CASE WHEN b.paused_until > v_now THEN 0 ELSE least(
            CASE WHEN v_min_size IS NOT NULL THEN v_room ELSE b.weight * CASE WHEN v_is_last AND starts[v_index] = 0
              THEN ceil(v_room::float8 / cardinality(v_queues))::integer ELSE 1 END - b.used END,
            CASE WHEN b.concurrency IS NOT NULL THEN greatest(b.concurrency - p.permits, 0) END,
            v_room)::integer END AS room,
          CASE WHEN v_min_size IS NOT NULL
            THEN {schema}.queue_ripe_at(q.queue, v_min_size, v_wait, v_now, '{}') END AS ripe_at
        FROM unnest(v_queues, v_key_ids, v_limit_names, v_looks, v_used)
          WITH ORDINALITY AS q (queue, key_id, limit_name, look_at, used, place)
        JOIN bounds l ON l.limit_name = q.limit_name
        LEFT JOIN LATERAL (
          SELECT o.concurrency, o.weight, o.paused_until, o.back_at_us, o.rate_count, o.rate_burst,
            ceil(o.rate_per_ms * 1000 / o.rate_count)::bigint AS step
          FROM {schema}.limit_key o WHERE o.id = q.key_id OFFSET 0) k ON true
        CROSS JOIN LATERAL (
          SELECT coalesce(k.concurrency, l.key_concurrency) AS concurrency, coalesce(k.weight, 1) AS weight,
            coalesce(q.used, 0) % coalesce(k.weight, 1) AS used,
            greatest(k.paused_until, l.paused_until) AS paused_until,
            CASE WHEN k.rate_count IS NULL THEN l.key_rate_burst ELSE k.rate_burst END AS burst,
            CASE WHEN k.rate_count IS NULL THEN l.key_step ELSE k.step END AS step) b
        CROSS JOIN LATERAL (
          SELECT count(*) AS permits
          FROM {schema}.lease e
          CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
          CROSS JOIN LATERAL (
            SELECT FROM {schema}.job j
            WHERE j.id = u.id AND j.status = 'open' AND j.lease_version = u.version - 1 OFFSET 0) j
          WHERE b.concurrency IS NOT NULL AND e.type_name < chr(2)
            AND e.type_name >= q.key_id AND e.type_name < {end of q.key_id}
            AND NOT e.ctid = ANY(v_expired)) p
      ), keys AS MATERIALIZED (
        SELECT l.place, l.queue, l.key_id, l.limit_name, l.look_at, l.used, l.weight, l.concurrency,
          l.aging_ms, l.is_paused, l.paused_until, l.burst, l.step, l.permits, l.back, l.ripe_at,
          CASE WHEN v_min_size IS NULL OR l.place = (
            SELECT min(f.place) FROM looked f WHERE f.room > 0 AND f.ripe_at <= v_now)
            THEN l.room ELSE 0 END AS room
        FROM looked l
      ), candidates AS MATERIALIZED (
        SELECT k.place, k.weight, k.limit_name, k.step, k.burst, k.back, c.ctid, c.cost,
          row_number() OVER w + k.used AS rank, sum(least(c.cost, k.burst)) OVER w AS key_cost
        FROM keys k
        CROSS JOIN LATERAL (
          SELECT r.ctid, r.priority, r.scheduled_at, r.ordinal, (CASE WHEN k.burst IS NULL AND p_bursts[v_index] IS NULL AND v_shared = '{}' THEN 1 ELSE coalesce((
            SELECT j.start_cost FROM {schema}.job j WHERE j.id = r.job_id OFFSET 0), 1) END) AS cost
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
          SELECT r.ctid, r.priority, r.scheduled_at, r.ordinal, (CASE WHEN k.burst IS NULL AND p_bursts[v_index] IS NULL AND v_shared = '{}' THEN 1 ELSE coalesce((
            SELECT j.start_cost FROM {schema}.job j WHERE j.id = r.job_id OFFSET 0), 1) END) AS cost
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
      ), judged AS MATERIALIZED (
        SELECT k.*, c.place IS NOT NULL AS has_found, t.taken, t.ctids, s.last_number, t.back_after,
          t.is_full, n.cost AS next_cost,
          -- The tokens do not suffice for the next job.
          coalesce(floor(k.burst - (t.back_after - v_now_us)::float8 / k.step) < least(n.cost, k.burst), false)
            AS is_short
        FROM keys k
        LEFT JOIN (SELECT DISTINCT c.place FROM candidates c) c ON c.place = k.place
        LEFT JOIN (
          SELECT s.place, count(*) AS taken, array_agg(s.ctid) AS ctids, max(s.number) AS last_number,
            max(s.key_cost) AS key_cost
          FROM started s GROUP BY s.place) s ON s.place = k.place
        CROSS JOIN LATERAL (
          SELECT coalesce(s.taken, 0) AS taken, coalesce(s.ctids, '{}') AS ctids,
            k.back + coalesce(s.key_cost, 0) * k.step AS back_after,
            coalesce(NOT k.is_paused AND k.permits + coalesce(s.taken, 0) >= k.concurrency, false) AS is_full) t
        -- The next due job that stays, whether locked or not. A full key of the type's own limit needs no look: the end of a
        -- permit leaves its next turn.
        LEFT JOIN LATERAL (
          SELECT (CASE WHEN k.burst IS NULL AND p_bursts[v_index] IS NULL AND v_shared = '{}' THEN 1 ELSE coalesce((
            SELECT j.start_cost FROM {schema}.job j WHERE j.id = r.job_id OFFSET 0), 1) END) AS cost FROM {schema}.ready r
          WHERE NOT (t.is_full AND k.limit_name = v_own) AND r.type_name = k.queue
            AND (r.scheduled_at <= v_now OR r.is_due) AND NOT r.ctid = ANY(t.ctids)
          ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT 1) n ON true
      ), spent AS (
        INSERT INTO {schema}.limit_key AS k (id, limit_name, key, back_at_us)
        SELECT j.key_id, {unescaped j.limit_name}, {unescaped split_part(j.key_id, chr(1), 3)}, j.back_after
        FROM judged j WHERE j.taken > 0 AND j.step IS NOT NULL ORDER BY j.key_id COLLATE "C"
        ON CONFLICT (id) DO UPDATE SET back_at_us = excluded.back_at_us
      ), turns AS (
        INSERT INTO {schema}.turn (look_at, type_name, queue, used)
        SELECT CASE
            WHEN j.is_full THEN v_now + interval '1 s'
            WHEN j.is_short THEN timestamptz 'epoch' + (j.back_after
              - (j.burst - least(j.next_cost, j.burst)) * j.step) * interval '1 us'
            WHEN r.ripe_at > v_now THEN r.ripe_at
            WHEN v_min_size IS NOT NULL AND j.room = 0 THEN j.look_at
            WHEN j.taken > 0 AND r.used IS NULL THEN v_now - (v_room - j.last_number) * interval '1 us'
            WHEN j.taken > 0 THEN j.look_at
            -- All were locked by others, or there was no room: it keeps its place.
            WHEN NOT j.has_found THEN v_now + interval '50 ms'
            ELSE j.look_at END,
          v_type, j.queue, CASE WHEN NOT j.is_full AND NOT j.is_short THEN r.used END
        FROM judged j
        CROSS JOIN LATERAL (
          SELECT CASE WHEN v_min_size IS NULL THEN nullif((j.used + j.taken) % j.weight, 0) END AS used,
            CASE WHEN v_min_size IS NOT NULL AND j.taken > 0
              THEN {schema}.queue_ripe_at(j.queue, v_min_size, v_wait, v_now, j.ctids)
              ELSE j.ripe_at END AS ripe_at) r
        WHERE j.next_cost IS NOT NULL AND NOT j.is_paused
      )
      SELECT s.ctids, s.taken, s.type_cost, x.limit_names, x.takens, x.shared_costs, p.paused_queues,
        p.paused_key_ids, p.paused_limit_names, p.pauses,
        EXISTS (SELECT FROM judged j WHERE j.is_short AND NOT j.is_paused) AS has_short,
        EXISTS (
          SELECT FROM judged j
          WHERE j.is_full AND (j.next_cost IS NOT NULL OR EXISTS (
            SELECT FROM {schema}.ready r
            WHERE r.type_name = j.queue AND (r.scheduled_at <= v_now OR r.is_due)
              AND NOT r.ctid = ANY(j.ctids) OFFSET 0))) AS has_full
      INTO v_row
      FROM (
        SELECT coalesce(array_agg(s.ctid), '{}') AS ctids, count(*)::integer AS taken,
          coalesce(sum(s.type_cost), 0) AS type_cost
        FROM started s) s
      CROSS JOIN (
        SELECT array_agg(x.limit_name) AS limit_names, array_agg(x.taken) AS takens,
          array_agg(x.cost) AS shared_costs
        FROM (
          SELECT s.limit_name, count(*) AS taken, sum(s.shared_cost) AS cost
          FROM started s WHERE s.limit_name <> v_own GROUP BY s.limit_name) x) x
      CROSS JOIN (
        SELECT array_agg(j.queue) AS paused_queues, array_agg(j.key_id) AS paused_key_ids,
          array_agg(j.limit_name) AS paused_limit_names, array_agg(j.paused_until) AS pauses
        FROM judged j WHERE j.is_paused AND j.next_cost IS NOT NULL) p;
      places := places || v_row.ctids;
      starts[v_index] := starts[v_index] + v_row.taken;
      costs[v_index] := costs[v_index] + v_row.type_cost;
      is_limited := is_limited OR v_row.has_short OR v_row.has_full;
      IF v_row.has_full THEN look_at := least(look_at, v_now + interval '1 s'); END IF;
      FOR v_element IN 1..coalesce(cardinality(v_row.limit_names), 0) LOOP
        v_place := array_position(v_shared, v_row.limit_names[v_element]);
        v_shared_rooms[v_place] := v_shared_rooms[v_place] - v_row.takens[v_element];
        v_shared_tokens[v_place] := v_shared_tokens[v_place] - v_row.shared_costs[v_element];
        PERFORM {schema}.spend_tokens(ARRAY[{unescaped v_row.limit_names[v_element]}],
          ARRAY[v_row.shared_costs[v_element]::integer], v_now);
      END LOOP;
      IF v_row.pauses IS NOT NULL THEN
        PERFORM {schema}.turns_of_paused(v_type, v_row.paused_queues, v_row.paused_key_ids,
          v_row.paused_limit_names, v_row.pauses, v_now);
      END IF;
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
      SELECT t.look_at INTO v_row FROM {schema}.turn t
      WHERE t.type_name = p_types[v_index]
        AND (v_shared = '{}' OR v_is_held OR t.look_at > v_now OR NOT is_limited)
      ORDER BY t.look_at LIMIT 1;
      IF FOUND THEN look_at := least(look_at, v_row.look_at); END IF;
    END LOOP;
  END IF;
  RETURN NEXT;
END
$routine$`,
};

/**
 * Called by `acquire_under_keys`: the next turns of queues that are paused until then and have due jobs. A pause that is being
 * changed has left its turns before this commits, so its queues are looked at again. Another one cannot be changed before this has
 * committed.
 */
export const turnsOfPaused: Routine = {
  name: "turns_of_paused",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.turns_of_paused(
  p_type text, p_queues text[], p_key_ids text[], p_limit_names text[], p_until timestamptz[],
  p_now timestamptz)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_until timestamptz;
  v_count integer := 0;
BEGIN
  FOR v_place IN 1..cardinality(p_queues) LOOP
    v_until := p_until[v_place];
    PERFORM 1 FROM {schema}.limit_key k
    WHERE k.id = p_key_ids[v_place] AND k.paused_until = v_until FOR SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      PERFORM 1 FROM {schema}.pause p
      WHERE p.type_name = {unescaped p_limit_names[v_place]}
        AND coalesce(p.paused_until, 'infinity') = v_until FOR SHARE SKIP LOCKED;
    END IF;
    IF NOT FOUND THEN v_until := p_now + interval '50 ms'; END IF;
    CONTINUE WHEN v_until = 'infinity';
    INSERT INTO {schema}.turn (look_at, type_name, queue) VALUES (v_until, p_type, p_queues[v_place]);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
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
