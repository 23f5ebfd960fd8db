import type { Routine } from "./routine.ts";

/**
 * One page of sequences, in the order of creation: the first job of each and, if the sequence was continued, its current job.
 * The leases of running jobs come with them. The statement is planned for each call and has the given conditions only.
 */
export const listSequences: Routine = {
  name: "list_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_sequences(
  p_type_names text[], p_statuses text[], p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer)
RETURNS TABLE (
  job {schema}.job, leased_by text, leased_until timestamptz, acquired_at timestamptz)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_direction text := CASE p_order WHEN 'desc' THEN 'DESC' ELSE 'ASC' END;
  v_ids {id}[];
BEGIN
  EXECUTE $query$SELECT array_agg(p.id) FROM (SELECT f.id FROM {schema}.job f WHERE $query$
      || concat_ws(' AND ', 'f.position = 0',
        CASE WHEN p_type_names IS NOT NULL THEN 'f.type_name = ANY($1)' END,
        -- The status of the current job. An open one is pending if it has a ready row.
        CASE WHEN p_statuses IS NOT NULL THEN $query$(
          SELECT CASE
            WHEN j.status <> 'open' THEN j.status
            WHEN EXISTS (
              SELECT FROM {schema}.ready r
              WHERE r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
                AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal) THEN 'pending'
            ELSE 'running' END
          FROM {schema}.job j
          WHERE j.id = coalesce((
            SELECT c.id FROM {schema}.job c WHERE c.sequence_id = f.id AND c.position > 0
            ORDER BY c.position DESC LIMIT 1), f.id)) = ANY($2)$query$ END,
        CASE WHEN p_root_sequence_id IS NOT NULL THEN $query$f.id IN (
          SELECT s.id FROM {schema}.job s WHERE s.id = $3 AND s.id = s.root_sequence_id
          UNION ALL
          SELECT s.id FROM {schema}.job s
          WHERE s.root_sequence_id = $3 AND s.position = 0 AND s.id <> s.root_sequence_id
          )$query$ END,
        CASE WHEN p_created_from IS NOT NULL THEN 'f.created_at >= $4' END,
        CASE WHEN p_created_to IS NOT NULL THEN 'f.created_at < $5' END,
        CASE WHEN p_after_ordinal IS NOT NULL
          THEN CASE p_order WHEN 'desc' THEN 'f.ordinal < $6' ELSE 'f.ordinal > $6' END END)
      || ' ORDER BY f.ordinal ' || v_direction || ' LIMIT $7) p'
    INTO v_ids
    USING p_type_names, p_statuses, p_root_sequence_id, p_created_from, p_created_to,
      p_after_ordinal, p_limit;
  RETURN QUERY SELECT j, j_lease.*
  FROM unnest(v_ids) WITH ORDINALITY AS u (id, place)
  CROSS JOIN LATERAL (
    SELECT f.id FROM {schema}.job f WHERE f.id = u.id
    UNION ALL
    (SELECT c.id FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1)) r
  JOIN {schema}.job j ON j.id = r.id {lease j}
  ORDER BY u.place, j.position;
END
$routine$`,
};
