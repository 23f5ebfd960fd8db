import type { Routine } from "./routine.ts";

// The statement is planned for each call and has the given conditions only: the planner chooses the index of a condition or
// an ordered scan. Running jobs are not in the index of ordinals, since they would enter and leave it at once. They are
// few, found by their leases, and merged in.

/** One page of jobs, in the order of creation. */
export const listJobs: Routine = {
  name: "list_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_jobs(
  p_type_names text[], p_statuses text[], p_sequence_id {id}, p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer, p_sequence_type_names text[])
RETURNS SETOF {schema}.job
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_direction text := CASE p_order WHEN 'desc' THEN 'DESC' ELSE 'ASC' END;
  v_page text := $query$SELECT j.* FROM {schema}.job j WHERE $query$
    || concat_ws(' AND ', $query$j.status <> 'running'$query$,
      CASE WHEN p_type_names IS NOT NULL THEN 'j.type_name = ANY($1)' END,
      CASE WHEN p_statuses IS NOT NULL THEN 'j.status = ANY($2)' END,
      CASE WHEN p_sequence_id IS NOT NULL THEN $query$j.id IN (
        SELECT s.id FROM {schema}.job s WHERE s.id = $3 AND s.position = 0
        UNION ALL
        SELECT s.id FROM {schema}.job s WHERE s.sequence_id = $3 AND s.position > 0)$query$ END,
      CASE WHEN p_root_sequence_id IS NOT NULL THEN $query$j.id IN (
        WITH tree AS MATERIALIZED (
          SELECT s.id FROM {schema}.job s WHERE s.id = $4 AND s.id = s.root_sequence_id
          UNION ALL
          SELECT s.id FROM {schema}.job s
          WHERE s.root_sequence_id = $4 AND s.position = 0 AND s.id <> s.root_sequence_id)
        SELECT t.id FROM tree t
        UNION ALL
        SELECT c.id FROM tree t JOIN {schema}.job c ON c.sequence_id = t.id AND c.position > 0
        )$query$ END,
      CASE WHEN p_created_from IS NOT NULL THEN 'j.created_at >= $5' END,
      CASE WHEN p_created_to IS NOT NULL THEN 'j.created_at < $6' END,
      CASE WHEN p_after_ordinal IS NOT NULL
        THEN CASE p_order WHEN 'desc' THEN 'j.ordinal < $7' ELSE 'j.ordinal > $7' END END,
      CASE WHEN p_sequence_type_names IS NOT NULL THEN 'j.sequence_type_name = ANY($9)' END)
    || ' ORDER BY j.ordinal ' || v_direction || ' LIMIT $8';
  v_running text := replace(v_page, $query$j.status <> 'running'$query$,
    $query$j.status = 'running'$query$);
BEGIN
  RETURN QUERY EXECUTE 'SELECT page.* FROM ((' || v_page || ') UNION ALL (' || v_running
      || ')) page ORDER BY page.ordinal ' || v_direction || ' LIMIT $8'
    USING p_type_names, p_statuses, p_sequence_id, p_root_sequence_id, p_created_from,
      p_created_to, p_after_ordinal, p_limit, p_sequence_type_names;
END
$routine$`,
};
