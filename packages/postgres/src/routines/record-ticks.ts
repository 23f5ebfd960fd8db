import type { Routine } from "./routine.ts";

/** The ticks that were written. */
export const recordTicks: Routine = {
  name: "record_ticks",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.record_ticks(
  p_names text[], p_tick_at timestamptz[], p_manual boolean[], p_kinds text[], p_outcomes text[],
  p_sequence_ids {id}[], p_fired_at timestamptz[])
RETURNS TABLE (name text, tick_at bigint, is_manual boolean)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY INSERT INTO {schema}.schedule_tick AS t (
    schedule_name, tick_at, is_manual, kind, outcome, sequence_id, fired_at)
  SELECT g.name, g.tick_at, g.is_manual, g.kind, g.outcome, g.sequence_id, g.fired_at
  FROM unnest(p_names, p_tick_at, p_manual, p_kinds, p_outcomes, p_sequence_ids, p_fired_at)
    AS g (name, tick_at, is_manual, kind, outcome, sequence_id, fired_at)
  ON CONFLICT (schedule_name, tick_at, is_manual) DO UPDATE
  SET kind = excluded.kind, outcome = excluded.outcome,
    sequence_id = excluded.sequence_id, fired_at = excluded.fired_at
  WHERE t.outcome IN ('missed', 'buffered')
  RETURNING t.schedule_name::text, floor(extract(epoch FROM t.tick_at) * 1000)::bigint, t.is_manual;
END
$routine$`,
};
