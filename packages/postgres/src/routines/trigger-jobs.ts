import type { Routine } from "./routine.ts";

/** A row for each element; `refusal` is the reason why the job was not made due. */
export const triggerJobs: Routine = {
  name: "trigger_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.trigger_jobs(p_ids {id}[])
RETURNS TABLE (
  element integer, refusal text, id {id}, type_name text, sequence_id {id},
  sequence_type_name text, root_sequence_id {id}, origin_id {id})
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_triggered_ids {id}[];
BEGIN
  -- The update alone might go through the index of pending jobs, and lock in the order of that.
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  WITH triggered AS (
    UPDATE {schema}.job j SET scheduled_at = least(j.scheduled_at, clock_timestamp())
    FROM (SELECT DISTINCT u.id FROM unnest(p_ids) AS u (id) ORDER BY u.id) u
    WHERE j.id = u.id AND j.status = 'pending'
    RETURNING j.id
  )
  SELECT coalesce(array_agg(t.id), '{}') INTO v_triggered_ids FROM triggered t;
  RETURN QUERY SELECT u.element::integer,
    CASE
      WHEN j.id = ANY(v_triggered_ids) THEN NULL
      WHEN j.id IS NULL THEN 'not_found'
      ELSE 'not_pending' END,
    j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id, j.origin_id
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  LEFT JOIN {schema}.job j ON j.id = u.id;
END
$routine$`,
};
