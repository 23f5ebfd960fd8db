import type { Routine } from "./routine.ts";

/** Called in the transaction that has stored these blocked jobs, before they get their blockers. */
export const setDeadlines: Routine = {
  name: "set_deadlines",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.set_deadlines(p_ids {id}[], p_wait_ms float8[])
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_count integer;
BEGIN
  UPDATE {schema}.job j SET blocked_until = j.created_at + u.wait_ms * interval '1 ms'
  FROM (
    SELECT * FROM unnest(p_ids, p_wait_ms) AS u (id, wait_ms) ORDER BY u.id
  ) u
  WHERE {is j.id u.id} AND j.status = 'blocked';
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$routine$`,
};

/**
 * Called by `acquire_jobs` if a job has a deadline. Blocked jobs of these types whose wait has ended become pending. Returns the next
 * end of a wait, or NULL.
 *
 * A job that is locked is passed by. Its last blocker ends in that transaction, or it is cancelled.
 */
export const endWaits: Routine = {
  name: "end_waits",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.end_waits(p_types text[], p_paused_types text[], p_now timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
BEGIN
  WITH overdue AS MATERIALIZED (
    SELECT w.id FROM unnest(p_types) AS t (type_name)
    CROSS JOIN LATERAL (
      SELECT j.id FROM {schema}.job j
      WHERE j.type_name = t.type_name AND j.blocked_until IS NOT NULL
        AND j.set_aside = 'blocked' AND j.blocked_until <= p_now
      ORDER BY j.blocked_until LIMIT 1000
      FOR NO KEY UPDATE SKIP LOCKED) w
    WHERE NOT t.type_name = ANY(p_paused_types)
  ), released AS (
    UPDATE {schema}.job j SET status = 'open', set_aside = NULL, released_at = p_now
    FROM overdue o
    WHERE {is j.id o.id} AND j.status = 'blocked'
    RETURNING j.id, j.type_name, j.queue, j.priority, j.scheduled_at, j.ordinal, j.created_at
  )
  INSERT INTO {schema}.ready (
    job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
  SELECT r.id, coalesce(r.queue, r.type_name), r.priority, r.scheduled_at, r.ordinal, p_now,
    r.scheduled_at <= greatest(p_now, r.created_at)
  FROM released r;
  RETURN (
    SELECT min(w.blocked_until) FROM unnest(p_types) AS t (type_name)
    CROSS JOIN LATERAL (
      SELECT j.blocked_until FROM {schema}.job j
      WHERE j.type_name = t.type_name AND j.blocked_until IS NOT NULL AND j.set_aside = 'blocked'
      ORDER BY j.blocked_until LIMIT 1) w
    WHERE NOT t.type_name = ANY(p_paused_types));
END
$routine$`,
};
