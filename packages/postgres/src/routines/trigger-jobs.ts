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
  v_now timestamptz;
  v_triggered_ids {id}[];
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_triggered_ids := {schema}.take_ready(p_ids);
  WITH triggered AS (
    UPDATE {schema}.job j SET scheduled_at = least(j.scheduled_at, v_now)
    WHERE j.id = ANY(v_triggered_ids)
    RETURNING j.id, j.type_name, j.priority, j.scheduled_at, j.ordinal, j.released_at,
      j.queue
  )
  INSERT INTO {schema}.ready (
    job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
  SELECT t.id, coalesce(t.queue, t.type_name), t.priority, t.scheduled_at, t.ordinal, t.released_at, true
  FROM triggered t;
  RETURN QUERY SELECT u.element::integer,
    CASE
      WHEN j.id IS NULL THEN 'not_found'
      WHEN j.id IN (SELECT t.id FROM unnest(v_triggered_ids) AS t (id)) THEN NULL
      ELSE 'not_pending' END,
    j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id, j.origin_id
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  LEFT JOIN {schema}.job j ON j.id = u.id;
END
$routine$`,
};
