import type { Routine } from "./routine.ts";

/** The names that existed. */
export const deleteSchedules: Routine = {
  name: "delete_schedules",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_schedules(p_names text[]) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_names text[];
BEGIN
  v_names := ARRAY(
    SELECT s.name FROM {schema}.schedule s WHERE s.name = ANY(p_names) ORDER BY s.name FOR UPDATE);
  -- In statements after the wait: the ticks of a firing that held a schedule are visible to them.
  DELETE FROM {schema}.schedule_tick t WHERE t.schedule_name = ANY(v_names);
  RETURN QUERY DELETE FROM {schema}.schedule s WHERE s.name = ANY(v_names) RETURNING s.name::text;
END
$routine$`,
};
