import type { Routine } from "./routine.ts";

// Keys are locked before jobs, by (type, key). Under READ COMMITTED the statement after the upsert sees the rows that the
// holder of the key committed during the wait. Under stricter levels the upsert itself fails, since the row was written.

// An id that the caller gives is the key of its own sequence, under the empty name that no type has. It is locked as keys are.

/** Stores jobs, some with deduplication keys or given ids. Rows of created jobs in the order of the elements, then of duplicates. */
export const createJobs: Routine = {
  name: "create_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.create_jobs(
  p_ids {id}[], p_type_names text[], p_inputs text[], p_at timestamptz[], p_after_ms float8[],
  p_priorities integer[], p_awaits_blockers boolean[], p_on_blocker_failures text[],
  p_trace_contexts text[], p_root_sequence_ids {id}[], p_origin_ids {id}[], p_sequence_ids {id}[],
  p_sequence_type_names text[], p_sequence_created_at timestamptz[], p_positions integer[],
  p_keys text[], p_strategies text[], p_windows_ms float8[], p_excluded text[], p_queues text[],
  p_start_costs integer[], p_given boolean[])
RETURNS TABLE (
  id {id}, ordinal bigint, created_at_us bigint, scheduled_at_us bigint,
  duplicate_element integer, duplicate_of text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_scopes text[] := p_type_names;
  v_keys text[] := p_keys;
  v_matches {id}[] := '{}';
  v_others {id}[];
  v_held bigint;
BEGIN
  IF cardinality(p_given) > 0 THEN
    SELECT array_agg(CASE WHEN u.given THEN '' ELSE u.type_name END ORDER BY u.element),
      array_agg(CASE WHEN u.given THEN u.id::text ELSE u.key END ORDER BY u.element)
    INTO v_scopes, v_keys
    FROM unnest(p_ids, p_given, p_type_names, p_keys)
      WITH ORDINALITY AS u (id, given, type_name, key, element);
  END IF;
  IF cardinality(v_keys) > 0 THEN
    -- touched_at only makes it a write.
    INSERT INTO {schema}.deduplication AS d (type_name, key, touched_at)
    SELECT DISTINCT u.type_name, u.key, v_now
    FROM unnest(v_scopes, v_keys) AS u (type_name, key)
    WHERE u.key IS NOT NULL
    ORDER BY u.type_name, u.key
    ON CONFLICT (type_name, key) DO UPDATE SET touched_at = excluded.touched_at;
    LOOP
      v_now := clock_timestamp();
      -- For each element the stored sequence that has its key, or NULL.
      v_matches := ARRAY(
        SELECT m.id
        FROM unnest(v_scopes, v_keys, p_ids, p_strategies, p_windows_ms, p_excluded)
          WITH ORDINALITY AS u (type_name, key, id, strategy, window_ms, excluded, element)
        LEFT JOIN LATERAL (
          SELECT c.id FROM (
            (SELECT j.id, j.ordinal FROM {schema}.job j
            WHERE j.type_name = u.type_name AND j.open_key = u.key
              AND (u.strategy <> 'pending' OR j.attempt = 0 AND (j.status = 'blocked'
                OR j.status = 'open' AND EXISTS (
                  SELECT 1 FROM {schema}.ready r
                  WHERE r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
                    AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal)))
              AND (u.window_ms IS NULL OR j.created_at >= v_now - u.window_ms * interval '1 ms')
              AND (u.excluded IS NULL OR NOT j.id::text = ANY(u.excluded::text[]))
            ORDER BY j.ordinal DESC LIMIT 1)
            UNION ALL
            (SELECT j.id, j.ordinal FROM {schema}.job j
            WHERE u.strategy = 'all' AND j.type_name = u.type_name AND j.deduplication_key = u.key
              AND j.sequence_outcome IS DISTINCT FROM 'cancelled'
              AND (u.window_ms IS NULL OR j.created_at >= v_now - u.window_ms * interval '1 ms')
              AND (u.excluded IS NULL OR NOT j.id::text = ANY(u.excluded::text[]))
            ORDER BY j.ordinal DESC LIMIT 1)
            UNION ALL
            (SELECT j.id, j.ordinal FROM {schema}.job j WHERE u.type_name = '' AND j.id = u.id)
          ) c
          ORDER BY c.ordinal DESC LIMIT 1
        ) m ON u.key IS NOT NULL
        ORDER BY u.element);
      -- The first element of each key without a match is created; later ones of the key are its duplicates.
      SELECT array_agg(s.duplicate_of ORDER BY s.element) INTO v_matches
      FROM (
        SELECT u.element, CASE
          WHEN u.key IS NULL THEN NULL
          WHEN u.match IS NOT NULL AND NOT u.element > coalesce(u.first, u.element) THEN u.match
          WHEN u.element = u.first THEN NULL
          ELSE p_ids[u.first]
        END::{id} AS duplicate_of
        FROM (
          SELECT e.*, min(e.element) FILTER (WHERE e.match IS NULL)
            OVER (PARTITION BY e.type_name, e.key) AS first
          FROM unnest(v_scopes, v_keys, v_matches)
            WITH ORDINALITY AS e (type_name, key, match, element)
        ) u
      ) s;
      -- A matched sequence may be deleted between the two statements: it is locked, or the search begins again. Under
      -- stricter levels the lock itself fails. The ids of jobs that are yet to be stored have no row.
      BEGIN
        v_others := ARRAY(
          SELECT m.id FROM unnest(v_matches) m (id) WHERE m.id IS NOT NULL
          EXCEPT SELECT p.id FROM unnest(p_ids, v_matches) p (id, match) WHERE p.match IS NULL)::{id}[];
        SELECT count(*) INTO v_held FROM (
          SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_others) ORDER BY j.id FOR KEY SHARE
        ) h;
        IF v_held < cardinality(v_others) THEN
          RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001';
        END IF;
        EXIT;
      EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The locks are released: begin again.
      END;
    END LOOP;
  END IF;

  v_now := clock_timestamp();
  RETURN QUERY
  WITH created AS (
    INSERT INTO {schema}.job AS j (
      id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
      origin_id, position, status, set_aside, input, priority, on_blocker_failure,
      deduplication_key, open_key, created_at, scheduled_at, trace_context, queue, start_cost)
    SELECT
      u.id, u.type_name, coalesce(u.sequence_id, u.id), coalesce(u.sequence_type_name, u.type_name),
      coalesce(u.sequence_created_at, v_now), coalesce(u.root_sequence_id, u.id),
      u.origin_id, coalesce(u.position, 0),
      CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'open' END,
      CASE WHEN u.awaits_blockers THEN 'blocked' END,
      u.input, coalesce(u.priority, 0), coalesce(u.on_blocker_failure, 'wait'), u.key, u.key,
      v_now, coalesce(u.at, v_now + u.after_ms * interval '1 ms', v_now), u.trace_context,
      u.queue, u.start_cost
    FROM unnest(
      p_ids, p_type_names, p_inputs, p_at, p_after_ms, p_priorities, p_awaits_blockers,
      p_on_blocker_failures, p_trace_contexts, p_root_sequence_ids, p_origin_ids, p_sequence_ids,
      p_sequence_type_names, p_sequence_created_at, p_positions, p_keys, v_matches,
      p_queues, p_start_costs)
    WITH ORDINALITY AS u (
      id, type_name, input, at, after_ms, priority, awaits_blockers,
      on_blocker_failure, trace_context, root_sequence_id, origin_id, sequence_id,
      sequence_type_name, sequence_created_at, position, key, match, queue, start_cost, element)
    WHERE u.match IS NULL
    ORDER BY u.element -- Ordinals are assigned in this order.
    RETURNING j.id, j.type_name, j.queue, j.priority, j.scheduled_at, j.ordinal, j.status,
      j.created_at
  ), made_ready AS (
    INSERT INTO {schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
    SELECT c.id, coalesce(c.queue, c.type_name), c.priority, c.scheduled_at, c.ordinal, c.scheduled_at <= v_now
    FROM created c WHERE c.status = 'open'
  )
  SELECT c.id, c.ordinal, (date_part('epoch', c.created_at) * 1000000)::bigint,
    (date_part('epoch', c.scheduled_at) * 1000000)::bigint, NULL::integer, NULL::text
  FROM created c;

  IF cardinality(v_keys) > 0 THEN
    RETURN QUERY SELECT NULL::{id}, NULL::bigint, NULL::bigint, NULL::bigint,
      u.element::integer, {job j}
    FROM unnest(v_matches) WITH ORDINALITY AS u (id, element)
    {probe j u.id} {lease j};
  END IF;
END
$routine$`,
};
