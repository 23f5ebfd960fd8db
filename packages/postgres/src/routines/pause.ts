import type { Routine } from "./routine.ts";

/** Pauses types; the empty name is every type. A pause that is there is replaced. */
export const pause: Routine = {
  name: "pause",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.pause(p_types text[], p_for_ms float8, p_note text)
RETURNS void
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  INSERT INTO {schema}.pause AS p (type_name, paused_at, paused_until, note)
  SELECT DISTINCT u.type_name, v_now, v_now + p_for_ms * interval '1 ms', p_note
  FROM unnest(p_types) AS u (type_name) ORDER BY u.type_name
  ON CONFLICT (type_name) DO UPDATE SET
    paused_at = excluded.paused_at, paused_until = excluded.paused_until, note = excluded.note;
END
$routine$`,
};
