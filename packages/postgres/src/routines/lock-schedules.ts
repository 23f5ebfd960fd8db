import type { Routine } from "./routine.ts";

/** Locked schedules, then a row with the clock alone. */
export const lockSchedules: Routine = {
  name: "lock_schedules",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.lock_schedules(p_names text[])
RETURNS TABLE (now_ms bigint, name text, look_at bigint, is_declared boolean, definition text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT NULL::bigint, s.name::text, floor(extract(epoch FROM s.look_at) * 1000)::bigint, s.is_declared, s.definition
  FROM {schema}.schedule s WHERE s.name = ANY(p_names) ORDER BY s.name FOR UPDATE;
  -- After the wait for the locks.
  RETURN QUERY SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    NULL::text, NULL::bigint, NULL::boolean, NULL::text;
END
$routine$`,
};
