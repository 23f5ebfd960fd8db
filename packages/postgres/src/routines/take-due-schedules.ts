import type { Routine } from "./routine.ts";

/** A row with the clock alone, then locked due schedules. */
export const takeDueSchedules: Routine = {
  name: "take_due_schedules",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.take_due_schedules(p_limit integer)
RETURNS TABLE (now_ms bigint, name text, look_at bigint, is_declared boolean, definition text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY SELECT floor(extract(epoch FROM v_now) * 1000)::bigint,
    NULL::text, NULL::bigint, NULL::boolean, NULL::text;
  -- A schedule that was fired since the snapshot is checked again under its lock, and is not due any more.
  RETURN QUERY SELECT NULL::bigint, s.name::text, floor(extract(epoch FROM s.look_at) * 1000)::bigint, s.is_declared, s.definition
  FROM {schema}.schedule s WHERE s.look_at <= v_now
  ORDER BY s.look_at LIMIT p_limit FOR UPDATE SKIP LOCKED;
END
$routine$`,
};
