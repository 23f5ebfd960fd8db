import type { Routine } from "./routine.ts";

/** A row for each element with the job; `refusal` is the reason why it was not changed. Each job is named once. */
export const updateJobs: Routine = {
  name: "update_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.update_jobs(
  p_ids {id}[], p_inputs text[], p_reschedules boolean[], p_at timestamptz[], p_after_ms float8[],
  p_priorities integer[], p_within_ms float8[], p_moves boolean[], p_key_ids text[],
  p_start_costs integer[])
RETURNS TABLE (element integer, refusal text, job text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_pending_ids {id}[];
  v_updated_ids {id}[] := '{}';
  v_change record;
  v_job record;
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_pending_ids := {schema}.take_ready(p_ids);
  -- One probe of the primary key a job, as in take_ready: a join might read all jobs for each change.
  FOR v_change IN
    SELECT u.*, u.id IN (SELECT p.id FROM unnest(v_pending_ids) AS p (id)) AS is_pending
    FROM unnest(p_ids, p_inputs, p_reschedules, p_at, p_after_ms, p_priorities, p_within_ms,
        p_moves, p_key_ids, p_start_costs)
      AS u (id, input, reschedules, at, after_ms, priority, within_ms, moves, key_id, start_cost)
  LOOP
    UPDATE {schema}.job j SET
      input = coalesce(v_change.input, j.input), priority = coalesce(v_change.priority, j.priority),
      scheduled_at = CASE WHEN NOT v_change.reschedules THEN j.scheduled_at ELSE least(
        coalesce(v_change.at, v_now + v_change.after_ms * interval '1 ms', v_now),
        coalesce(j.created_at + v_change.within_ms * interval '1 ms', 'infinity')) END,
      queue = CASE WHEN v_change.moves THEN v_change.key_id || {escaped j.type_name} ELSE j.queue END,
      start_cost = CASE WHEN v_change.moves THEN v_change.start_cost ELSE j.start_cost END
    WHERE j.id = v_change.id AND (v_change.is_pending OR j.status IN ('blocked', 'failed'))
    RETURNING j.id, coalesce(j.queue, j.type_name) AS queue, j.status, j.priority, j.scheduled_at,
      j.ordinal, j.released_at INTO v_job;
    CONTINUE WHEN NOT FOUND;
    v_updated_ids := array_append(v_updated_ids, v_job.id);
    CONTINUE WHEN v_job.status <> 'open';
    INSERT INTO {schema}.ready (
      job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
    VALUES (v_job.id, v_job.queue, v_job.priority, v_job.scheduled_at, v_job.ordinal,
      v_job.released_at, v_job.scheduled_at <= v_now);
  END LOOP;
  RETURN QUERY SELECT u.element::integer,
    CASE WHEN j.id IS NULL THEN 'not_found'
      WHEN j.id NOT IN (SELECT t.id FROM unnest(v_updated_ids) AS t (id)) THEN 'not_updatable' END,
    CASE WHEN j.id IS NOT NULL THEN {job j} END
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  LEFT JOIN {schema}.job j ON j.id = u.id {lease j};
END
$routine$`,
};
