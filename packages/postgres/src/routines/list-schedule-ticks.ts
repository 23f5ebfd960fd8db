import type { Routine } from "./routine.ts";

/** One page by instant. */
export const listScheduleTicks: Routine = {
  name: "list_schedule_ticks",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_schedule_ticks(
  p_name text, p_from timestamptz, p_to timestamptz, p_after_at timestamptz, p_after_manual boolean,
  p_order text, p_limit integer)
RETURNS TABLE (
  schedule_name text, tick_at bigint, kind text, outcome text, sequence_id text, fired_at bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  IF p_order = 'asc' THEN
    RETURN QUERY SELECT t.schedule_name::text, floor(extract(epoch FROM t.tick_at) * 1000)::bigint, t.kind::text,
      t.outcome::text, t.sequence_id::text, floor(extract(epoch FROM t.fired_at) * 1000)::bigint
    FROM {schema}.schedule_tick t
    WHERE t.schedule_name = p_name AND t.tick_at >= coalesce(p_from, '-infinity')
      AND t.tick_at < coalesce(p_to, 'infinity')
      AND (p_after_at IS NULL OR (t.tick_at, t.is_manual) > (p_after_at, p_after_manual))
    ORDER BY t.tick_at ASC, t.is_manual ASC LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT t.schedule_name::text, floor(extract(epoch FROM t.tick_at) * 1000)::bigint, t.kind::text,
      t.outcome::text, t.sequence_id::text, floor(extract(epoch FROM t.fired_at) * 1000)::bigint
    FROM {schema}.schedule_tick t
    WHERE t.schedule_name = p_name AND t.tick_at >= coalesce(p_from, '-infinity')
      AND t.tick_at < coalesce(p_to, 'infinity')
      AND (p_after_at IS NULL OR (t.tick_at, t.is_manual) < (p_after_at, p_after_manual))
    ORDER BY t.tick_at DESC, t.is_manual DESC LIMIT p_limit;
  END IF;
END
$routine$`,
};
