import type { Routine } from "./routine.ts";

// The text is planned for the arguments of each call: a condition without an argument (NULL) disappears, and the planner sees
// a plain ordered scan. Running jobs are not in the index of ordinals, since they would enter and leave it at once. They
// are few, found by their leases, and merged in.

/** One page of jobs, in the order of creation. */
export const listJobs: Routine = {
  name: "list_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_jobs(
  p_type_names text[], p_statuses text[], p_sequence_id {id}, p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer, p_sequence_type_names text[])
RETURNS TABLE (job text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_page text := $query$
    SELECT j.* FROM {schema}.job j
    WHERE j.status <> 'running'
      AND ($1 IS NULL OR j.type_name = ANY($1))
      AND ($2 IS NULL OR j.status = ANY($2))
      AND ($3 IS NULL OR j.id IN (
        SELECT s.id FROM {schema}.job s WHERE s.id = $3 AND s.position = 0
        UNION ALL
        SELECT s.id FROM {schema}.job s WHERE s.sequence_id = $3 AND s.position > 0))
      AND ($4 IS NULL OR j.id IN (
        WITH tree AS MATERIALIZED (
          SELECT s.id FROM {schema}.job s WHERE s.id = $4 AND s.id = s.root_sequence_id
          UNION ALL
          SELECT s.id FROM {schema}.job s
          WHERE s.root_sequence_id = $4 AND s.position = 0 AND s.id <> s.root_sequence_id)
        SELECT t.id FROM tree t
        UNION ALL
        SELECT c.id FROM tree t JOIN {schema}.job c ON c.sequence_id = t.id AND c.position > 0))
      AND ($5 IS NULL OR j.created_at >= $5)
      AND ($6 IS NULL OR j.created_at < $6)
      AND ($7 IS NULL OR j.ordinal > $7)
      AND ($9 IS NULL OR j.sequence_type_name = ANY($9))
    ORDER BY j.ordinal ASC LIMIT $8$query$;
  v_running text;
BEGIN
  IF p_order = 'desc' THEN
    v_page := replace(replace(v_page, 'j.ordinal > $7', 'j.ordinal < $7'), ' ASC ', ' DESC ');
  END IF;
  v_running := replace(v_page, 'j.status <> ''running''', 'j.status = ''running''');
  RETURN QUERY EXECUTE
    $query$SELECT {job page} $query$ || ' FROM ((' || v_page || ') UNION ALL (' || v_running
      || ')) page ORDER BY page.ordinal '
      || CASE WHEN p_order = 'desc' THEN 'DESC' ELSE 'ASC' END || ' LIMIT $8'
    USING p_type_names, p_statuses, p_sequence_id, p_root_sequence_id, p_created_from,
      p_created_to, p_after_ordinal, p_limit, p_sequence_type_names;
END
$routine$`,
};
