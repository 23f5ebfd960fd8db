import type { Routine } from "./routine.ts";

/** Rows `first` and, if the sequence was continued, `current` (the job at the highest position), by element. */
export const getSequences: Routine = {
  name: "get_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_sequences(p_ids {id}[])
RETURNS TABLE (role text, element integer, job text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY
  WITH wanted AS MATERIALIZED (
    SELECT u.id, u.element::integer FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  )
  SELECT 'first', w.element, {job j}
  FROM wanted w {probe j w.id} {lease j} WHERE j.position = 0
  UNION ALL
  SELECT 'current', w.element, {job j}
  FROM wanted w CROSS JOIN LATERAL (
    SELECT c.* FROM {schema}.job c WHERE c.sequence_id = w.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1) j {lease j};
END
$routine$`,
};
