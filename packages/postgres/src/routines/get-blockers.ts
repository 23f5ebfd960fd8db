import type { Routine } from "./routine.ts";

/** Rows `first` and `current` of each blocker: `element` is the waiting job's, `place` the blocker's index in its list. */
export const getBlockers: Routine = {
  name: "get_blockers",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_blockers(p_ids {id}[])
RETURNS TABLE (role text, element integer, place integer, job text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH wanted AS MATERIALIZED (
    SELECT b.blocker_sequence_id AS id, u.element::integer, b.index
    FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
    JOIN {schema}.job_blocker b ON b.job_id = u.id
  )
  SELECT 'first', w.element, w.index, {job j}
  FROM wanted w {probe j w.id} {lease j} WHERE j.position = 0
  UNION ALL
  SELECT 'current', w.element, w.index, {job j}
  FROM wanted w CROSS JOIN LATERAL (
    SELECT c.* FROM {schema}.job c WHERE c.sequence_id = w.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1) j {lease j};
END
$routine$`,
};
