import type { Routine } from "./routine.ts";

/**
 * One page of sequences, in the order of creation: the first job of each and, if the sequence was continued, its current job.
 * See list-jobs for the form of the statement.
 */
export const listSequences: Routine = {
  name: "list_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_sequences(
  p_type_names text[], p_statuses text[], p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer)
RETURNS SETOF {schema}.job
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_direction text := CASE p_order WHEN 'desc' THEN 'DESC' ELSE 'ASC' END;
  v_page text := $query$SELECT f.id, f.ordinal FROM {schema}.job f WHERE $query$
    || concat_ws(' AND ', $query$f.status <> 'running'$query$, 'f.position = 0',
      CASE WHEN p_type_names IS NOT NULL THEN 'f.type_name = ANY($1)' END,
      CASE WHEN p_statuses IS NOT NULL THEN $query$coalesce((
        SELECT c.status FROM {schema}.job c WHERE c.sequence_id = f.id AND c.position > 0
        ORDER BY c.position DESC LIMIT 1), f.status) = ANY($2)$query$ END,
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
    || ' ORDER BY f.ordinal ' || v_direction || ' LIMIT $7';
  v_running text := replace(v_page, $query$f.status <> 'running'$query$,
    $query$f.status = 'running'$query$);
  v_ids {id}[];
BEGIN
  EXECUTE 'SELECT array_agg(p.id) FROM (SELECT * FROM (('
      || v_page || ') UNION ALL (' || v_running || ')) page ORDER BY page.ordinal '
      || v_direction || ' LIMIT $7) p'
    INTO v_ids
    USING p_type_names, p_statuses, p_root_sequence_id, p_created_from, p_created_to,
      p_after_ordinal, p_limit;
  RETURN QUERY SELECT r.*
  FROM unnest(v_ids) WITH ORDINALITY AS u (id, place)
  CROSS JOIN LATERAL (
    SELECT f.* FROM {schema}.job f WHERE f.id = u.id
    UNION ALL
    (SELECT c.* FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1)) r
  ORDER BY u.place, r.position;
END
$routine$`,
};
