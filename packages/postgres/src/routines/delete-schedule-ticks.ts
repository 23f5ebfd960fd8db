import type { Routine } from "./routine.ts";

/** The number of deleted ticks. */
export const deleteScheduleTicks: Routine = {
  name: "delete_schedule_ticks",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_schedule_ticks(p_fired_ms float8, p_limit integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_before timestamptz := clock_timestamp() - p_fired_ms * interval '1 ms';
  v_count bigint;
BEGIN
  WITH old AS MATERIALIZED (
    SELECT t.schedule_name, t.tick_at, t.is_manual FROM {schema}.schedule_tick t
    WHERE t.fired_at < v_before ORDER BY t.fired_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM {schema}.schedule_tick t USING old o
  WHERE t.schedule_name = o.schedule_name AND t.tick_at = o.tick_at AND t.is_manual = o.is_manual;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$routine$`,
};
