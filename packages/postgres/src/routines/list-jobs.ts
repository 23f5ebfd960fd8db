import type { Routine } from "./routine.ts";

// A page without conditions is one plan that is kept. With conditions the statement is planned for each call. It has the given ones
// only, and the planner chooses the index of a condition or an ordered scan.
//
// The planner is free: the pages are read in the order of an index, and "ready" may be read whole.
// Each kind of status is found in a place of its own, so each is a page of its own, and the pages are merged. The leases are
// joined to the jobs of the page only.

/** One page of jobs, in the order of creation, with the leases of those that run. */
export const listJobs: Routine = {
  name: "list_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_jobs(
  p_type_names text[], p_statuses text[], p_sequence_id {id}, p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer, p_sequence_type_names text[])
RETURNS TABLE (
  job {schema}.job, leased_by text, leased_until timestamptz, acquired_at timestamptz)
LANGUAGE plpgsql STABLE
SET search_path = {path}
SET row_security = off
SET jit = off
AS $routine$
DECLARE
  v_direction text := CASE p_order WHEN 'desc' THEN 'DESC' ELSE 'ASC' END;
  v_conditions text := concat_ws(' AND ',
    CASE WHEN p_type_names IS NOT NULL THEN 'j.type_name = ANY($1)' END,
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
    CASE WHEN p_sequence_type_names IS NOT NULL THEN 'j.sequence_type_name = ANY($9)' END);
  v_pages text;
  v_pending text;
  v_running_ids {id}[];
  v_queues text[];
BEGIN
  IF v_conditions = '' AND p_statuses IS NULL THEN
    IF p_order = 'desc' THEN
      RETURN QUERY SELECT j, j_lease.* FROM {schema}.job j {lease j}
      ORDER BY j.ordinal DESC LIMIT p_limit;
    ELSE
      RETURN QUERY SELECT j, j_lease.* FROM {schema}.job j {lease j}
      ORDER BY j.ordinal LIMIT p_limit;
    END IF;
    RETURN;
  END IF;
  IF 'running' = ANY(p_statuses) THEN
    v_running_ids := ARRAY(
      SELECT j.id FROM {schema}.lease l
      CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
      JOIN {schema}.job j ON j.id = u.id
      WHERE j.status = 'open' AND j.lease_version = u.version - 1);
  END IF;
  -- Pending jobs in their order, from their narrow rows. Those of one tree are few, and are looked up instead.
  IF p_sequence_id IS NULL AND p_root_sequence_id IS NULL THEN
    -- Jobs under keys have the name of their queue there.
    v_queues := p_type_names || ARRAY(
      SELECT DISTINCT r.type_name FROM {schema}.ready r
      WHERE r.type_name < chr(2) AND {type of r.type_name} = ANY(p_type_names));
    v_pending := $query$SELECT r.ordinal FROM {schema}.ready r WHERE $query$ || concat_ws(' AND ', 'true',
      CASE WHEN p_type_names IS NOT NULL THEN 'r.type_name = ANY($11)' END,
      CASE WHEN p_after_ordinal IS NOT NULL
        THEN CASE p_order WHEN 'desc' THEN 'r.ordinal < $7' ELSE 'r.ordinal > $7' END END)
      || ' ORDER BY r.ordinal ' || v_direction
      || CASE WHEN p_created_from IS NULL AND p_created_to IS NULL
        AND p_sequence_type_names IS NULL THEN ' LIMIT $8' ELSE '' END;
  END IF;
  SELECT string_agg($query$(SELECT j.id, j.ordinal FROM {schema}.job j$query$ || s.source || ' WHERE '
      || concat_ws(' AND ', s.condition, NULLIF(v_conditions, ''))
      || ' ORDER BY j.ordinal ' || v_direction || ' LIMIT $8)', ' UNION ALL ')
  INTO v_pages
  FROM (VALUES
    (p_statuses IS NULL, '', 'true'),
    ('pending' = ANY(p_statuses),
      CASE WHEN v_pending IS NULL THEN '' ELSE ' JOIN (' || v_pending || ') p ON p.ordinal = j.ordinal' END,
      CASE WHEN v_pending IS NULL THEN $query$j.status = 'open' AND EXISTS (
        SELECT FROM {schema}.ready r
        WHERE r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
          AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal)$query$ ELSE 'true' END),
    ('running' = ANY(p_statuses), ' JOIN unnest($10) AS i (id) ON i.id = j.id', 'true'),
    (p_statuses && ARRAY['blocked', 'failed'], '', 'j.set_aside = ANY($2)'),
    ('completed' = ANY(p_statuses), '', $query$j.status = 'completed'$query$),
    ('cancelled' = ANY(p_statuses), '', $query$j.status = 'cancelled'$query$)
  ) AS s (is_asked, source, condition)
  WHERE s.is_asked;
  IF v_pages IS NULL THEN RETURN; END IF;
  RETURN QUERY EXECUTE 'SELECT j, j_lease.* FROM (SELECT * FROM (' || v_pages
      || ') pages ORDER BY pages.ordinal ' || v_direction || ' LIMIT $8) page '
      || $query$JOIN {schema}.job j ON j.id = page.id {lease j}$query$
      || ' ORDER BY page.ordinal ' || v_direction
    USING p_type_names, p_statuses, p_sequence_id, p_root_sequence_id, p_created_from,
      p_created_to, p_after_ordinal, p_limit, p_sequence_type_names, v_running_ids, v_queues;
END
$routine$`,
};
