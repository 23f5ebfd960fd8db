import type { Routine } from "./routine.ts";

/** One page of sequences, in the order of creation: rows `first` and, if the sequence was continued, `current`. See list-jobs. */
export const listSequences: Routine = {
  name: "list_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_sequences(
  p_type_names text[], p_statuses text[], p_root_sequence_id {id},
  p_created_from timestamptz, p_created_to timestamptz, p_order text, p_after_ordinal bigint,
  p_limit integer)
RETURNS TABLE (role text, element bigint, job text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_page text := $query$
    SELECT f.id, f.ordinal FROM {schema}.job f
    WHERE f.status <> 'running' AND f.position = 0
      AND ($1 IS NULL OR f.type_name = ANY($1))
      AND ($2 IS NULL OR coalesce((
        SELECT c.status FROM {schema}.job c WHERE c.sequence_id = f.id AND c.position > 0
        ORDER BY c.position DESC LIMIT 1), f.status) = ANY($2))
      AND ($3 IS NULL OR f.id IN (
        SELECT s.id FROM {schema}.job s WHERE s.id = $3 AND s.id = s.root_sequence_id
        UNION ALL
        SELECT s.id FROM {schema}.job s
        WHERE s.root_sequence_id = $3 AND s.position = 0 AND s.id <> s.root_sequence_id))
      AND ($4 IS NULL OR f.created_at >= $4)
      AND ($5 IS NULL OR f.created_at < $5)
      AND ($6 IS NULL OR f.ordinal > $6)
    ORDER BY f.ordinal ASC LIMIT $7$query$;
  v_running text;
  v_ids {id}[];
  v_ordinals bigint[];
BEGIN
  IF p_order = 'desc' THEN
    v_page := replace(replace(v_page, 'f.ordinal > $6', 'f.ordinal < $6'),
      'f.ordinal ASC ', 'f.ordinal DESC ');
  END IF;
  v_running := replace(v_page, 'f.status <> ''running''', 'f.status = ''running''');
  EXECUTE 'SELECT array_agg(p.id), array_agg(p.ordinal) FROM (SELECT * FROM (('
      || v_page || ') UNION ALL (' || v_running || ')) page ORDER BY page.ordinal '
      || CASE WHEN p_order = 'desc' THEN 'DESC' ELSE 'ASC' END || ' LIMIT $7) p'
    INTO v_ids, v_ordinals
    USING p_type_names, p_statuses, p_root_sequence_id, p_created_from, p_created_to,
      p_after_ordinal, p_limit;
  RETURN QUERY SELECT 'first', u.ordinal, {job j}
  FROM unnest(v_ids, v_ordinals) AS u (id, ordinal)
  JOIN {schema}.job j ON j.id = u.id;
  RETURN QUERY SELECT 'current', u.ordinal, {job j}
  FROM unnest(v_ids, v_ordinals) AS u (id, ordinal)
  CROSS JOIN LATERAL (
    SELECT c.* FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1) j;
END
$routine$`,
};
