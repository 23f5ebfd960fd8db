import type { Routine } from "./routine.ts";

/** The edges of the jobs of these sequences, and the edges to these sequences. */
export const listBlockerEdges: Routine = {
  name: "list_blocker_edges",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_blocker_edges(p_ids {id}[])
RETURNS TABLE (sequence_id {id}, job_id {id}, blocker_sequence_id {id}, index integer)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH wanted AS MATERIALIZED (
    SELECT DISTINCT u.id FROM unnest(p_ids) AS u (id)
  ), waiting AS MATERIALIZED (
    SELECT j.id FROM wanted w JOIN {schema}.job j ON j.id = w.id AND j.position = 0
    UNION ALL
    SELECT j.id FROM wanted w JOIN {schema}.job j ON j.sequence_id = w.id AND j.position > 0
  )
  SELECT e.sequence_id, e.job_id, e.blocker_sequence_id, e.index FROM (
    SELECT j.sequence_id, b.job_id, b.blocker_sequence_id, b.index, j.ordinal
    FROM waiting w
    JOIN {schema}.job_blocker b ON b.job_id = w.id
    JOIN {schema}.job j ON j.id = b.job_id
    UNION
    SELECT j.sequence_id, b.job_id, b.blocker_sequence_id, b.index, j.ordinal
    FROM wanted w
    JOIN {schema}.job_blocker b ON b.blocker_sequence_id = w.id
    JOIN {schema}.job j ON j.id = b.job_id
  ) e ORDER BY e.ordinal, e.index;
END
$routine$`,
};
