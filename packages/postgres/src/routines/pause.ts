import type { Routine } from "./routine.ts";

/**
 * Pauses types and limits; the empty name is every type. A pause that is there is replaced, unless it only extends. Returns how many:
 * Prisma reads no void.
 */
export const pause: Routine = {
  name: "pause",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.pause(p_types text[], p_for_ms float8, p_note text, p_extends boolean)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_count integer;
BEGIN
  INSERT INTO {schema}.pause AS p (type_name, paused_at, paused_until, note)
  SELECT DISTINCT u.type_name, v_now, v_now + p_for_ms * interval '1 ms', p_note
  FROM unnest(p_types) AS u (type_name) ORDER BY u.type_name
  ON CONFLICT (type_name) DO UPDATE SET
    paused_at = excluded.paused_at, paused_until = excluded.paused_until, note = excluded.note
  WHERE NOT p_extends
    OR coalesce(p.paused_until, 'infinity') < coalesce(excluded.paused_until, 'infinity');
  GET DIAGNOSTICS v_count = ROW_COUNT;
  -- Of a limit that was paused for longer, the queues are looked at when this pause ends.
  PERFORM {schema}.leave_turns_under(chr(1) || {escaped u.type_name} || chr(1))
  FROM unnest(p_types) AS u (type_name) WHERE u.type_name <> '';
  RETURN v_count;
END
$routine$`,
};

/** Called by `acquire_jobs`: which of these types are paused, and when the first of them is resumed by itself. */
export const pausedTypes: Routine = {
  name: "paused_types",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.paused_types(p_types text[], p_now timestamptz)
RETURNS TABLE (types text[], resumes_at timestamptz)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT coalesce(array_agg(u.type_name), '{}'), min(NULLIF(u.until, 'infinity'))
  FROM (
    SELECT t.type_name, max(coalesce(p.paused_until, 'infinity')) AS until
    FROM unnest(p_types) AS t (type_name)
    JOIN {schema}.pause p ON p.type_name IN (t.type_name, '')
    WHERE p.paused_until IS NULL OR p.paused_until > p_now
    GROUP BY t.type_name
  ) u;
END
$routine$`,
};
