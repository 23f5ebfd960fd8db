import type { Routine } from "./routine.ts";

/** Pending jobs of a type without a key, in the order of the index "ready_order", and whether each is due. */
export const listNext: Routine = {
  name: "list_next",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_next(p_type_name text, p_limit integer, p_examine_max integer)
RETURNS TABLE (id text, looked bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_ready record;
  v_found integer := 0;
BEGIN
  looked := 0;
  FOR v_ready IN
    SELECT r.job_id, r.scheduled_at FROM {schema}.ready r WHERE r.type_name = p_type_name
    ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT p_examine_max
  LOOP
    looked := looked + 1;
    CONTINUE WHEN v_ready.scheduled_at > v_now;
    id := v_ready.job_id::text;
    RETURN NEXT;
    v_found := v_found + 1;
    EXIT WHEN v_found = p_limit;
  END LOOP;
  -- How far it looked.
  id := NULL;
  RETURN NEXT;
END
$routine$`,
};
