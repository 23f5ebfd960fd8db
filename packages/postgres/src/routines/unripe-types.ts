import type { Routine } from "./routine.ts";

/**
 * Called by `acquire_jobs` for types that are acquired in batches. Returns those that have too few due jobs, and the first moment from
 * which one of them has enough.
 *
 * Each priority is probed for as many jobs as a batch needs, in the order of the index. A batch that is ripe is counted again under a
 * lock, which ends with the acquisition. An acquisition that does not get the lock passes the type by: another one takes its jobs.
 *
 * A job that was started after the moment of the acquisition lies beyond its horizon. It is not taken, so it does not count.
 */
export const unripeTypes: Routine = {
  name: "unripe_types",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.unripe_types(
  p_batches text, p_paused_types text[], p_now timestamptz, p_horizon timestamptz)
RETURNS TABLE (types text[], ripe_at timestamptz)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_batch record;
  v_types text[] := '{}';
  v_first timestamptz;
  v_ripe_at timestamptz;
  -- Two stores of a database have different locks.
  v_store bigint := coalesce((SELECT m.tableoid::bigint FROM {schema}.migration m LIMIT 1), 0);
  v_is_locked boolean;
BEGIN
  FOR v_batch IN
    SELECT b.type_name, b.min_size, b.max_wait_ms * interval '1 ms' AS wait
    FROM json_to_recordset(p_batches::json) AS b (type_name text, min_size integer, max_wait_ms float8)
    WHERE NOT b.type_name = ANY(p_paused_types)
    ORDER BY b.type_name
  LOOP
    v_is_locked := false;
    LOOP
      WITH RECURSIVE p (priority) AS (
        SELECT (
          SELECT r.priority FROM {schema}.ready r WHERE r.type_name = v_batch.type_name
          ORDER BY r.priority DESC LIMIT 1)
        UNION ALL
        SELECT (
          SELECT r.priority FROM {schema}.ready r
          WHERE r.type_name = v_batch.type_name AND r.priority < p.priority
          ORDER BY r.priority DESC LIMIT 1)
        FROM p WHERE p.priority IS NOT NULL
      ), due AS (
        SELECT CASE WHEN h.is_due AND h.scheduled_at <= p_horizon
            THEN least(h.scheduled_at, p_now) ELSE h.scheduled_at END AS at,
          h.released_at
        FROM p CROSS JOIN LATERAL (
          SELECT r.scheduled_at, r.is_due, r.released_at FROM {schema}.ready r
          WHERE r.type_name = v_batch.type_name AND r.priority = p.priority
          ORDER BY r.scheduled_at, r.ordinal LIMIT v_batch.min_size) h
        WHERE p.priority IS NOT NULL
        UNION ALL
        (SELECT j.scheduled_at, j.released_at
        FROM {schema}.lease l
        CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
        {probe j u.id}
        WHERE l.leased_until <= p_now AND l.type_name = v_batch.type_name
          AND j.status = 'open' AND j.lease_version = u.version - 1
        LIMIT v_batch.min_size)
      )
      SELECT least(min(greatest(d.at, d.released_at)) + v_batch.wait,
        (array_agg(d.at ORDER BY d.at))[v_batch.min_size])
      INTO v_ripe_at FROM due d;
      EXIT WHEN v_is_locked OR v_ripe_at IS NULL OR v_ripe_at > p_now;
      v_is_locked := pg_try_advisory_xact_lock(hashtextextended(v_batch.type_name, v_store));
      EXIT WHEN NOT v_is_locked;
    END LOOP;
    CONTINUE WHEN v_is_locked AND v_ripe_at <= p_now;
    v_types := v_types || v_batch.type_name;
    v_first := least(v_first, v_ripe_at);
  END LOOP;
  types := v_types;
  ripe_at := v_first;
  RETURN NEXT;
END
$routine$`,
};

/**
 * Called by `acquire_under_keys`: from when the jobs of a queue can be acquired as a batch. The rows in `p_without` have been taken. NULL:
 * there is no other.
 */
export const queueRipeAt: Routine = {
  name: "queue_ripe_at",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.queue_ripe_at(
  p_queue text, p_min_size integer, p_wait interval, p_now timestamptz, p_without tid[])
RETURNS timestamptz
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_ripe_at timestamptz;
BEGIN
  WITH RECURSIVE p (priority) AS (
    SELECT (
      SELECT r.priority FROM {schema}.ready r WHERE r.type_name = p_queue
      ORDER BY r.priority DESC LIMIT 1)
    UNION ALL
    SELECT (
      SELECT r.priority FROM {schema}.ready r
      WHERE r.type_name = p_queue AND r.priority < p.priority
      ORDER BY r.priority DESC LIMIT 1)
    FROM p WHERE p.priority IS NOT NULL
  ), due AS (
    SELECT CASE WHEN h.is_due THEN least(h.scheduled_at, p_now) ELSE h.scheduled_at END AS at,
      h.released_at
    FROM p CROSS JOIN LATERAL (
      SELECT r.scheduled_at, r.is_due, r.released_at FROM {schema}.ready r
      WHERE r.type_name = p_queue AND r.priority = p.priority AND NOT r.ctid = ANY(p_without)
      ORDER BY r.scheduled_at, r.ordinal LIMIT p_min_size) h
    WHERE p.priority IS NOT NULL
  )
  SELECT least(min(greatest(d.at, d.released_at)) + p_wait,
    (array_agg(d.at ORDER BY d.at))[p_min_size])
  INTO v_ripe_at FROM due d;
  RETURN v_ripe_at;
END
$routine$`,
};
