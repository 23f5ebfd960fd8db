import type { Routine } from "./routine.ts";

/**
 * Stores one job without a key. Returns its ordinal, the moment and its due time in microseconds, as one text: a table of one row
 * costs 40 µs more. Starts with the usual options call `create_usual_job`.
 */
export const createJob: Routine = {
  name: "create_job",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.create_job(
  p_id {id}, p_type_name text, p_input text, p_trace_context text, p_root_sequence_id {id},
  p_origin_id {id}, p_at timestamptz DEFAULT NULL, p_after_ms float8 DEFAULT NULL,
  p_priority integer DEFAULT NULL, p_awaits_blockers boolean DEFAULT NULL,
  p_on_blocker_failure text DEFAULT NULL, p_sequence_id {id} DEFAULT NULL,
  p_sequence_type_name text DEFAULT NULL, p_sequence_created_at timestamptz DEFAULT NULL,
  p_position integer DEFAULT NULL, p_queue text DEFAULT NULL,
  p_start_cost integer DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
SET row_security = off
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_scheduled_at timestamptz := coalesce(p_at, v_now + p_after_ms * interval '1 ms', v_now);
  v_priority integer := coalesce(p_priority, 0);
  v_ordinal bigint;
BEGIN
  INSERT INTO {schema}.job AS j (
    id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
    origin_id, position, status, set_aside, input, priority, on_blocker_failure, created_at,
    scheduled_at, trace_context, queue, start_cost)
  VALUES (
    p_id, p_type_name, coalesce(p_sequence_id, p_id), coalesce(p_sequence_type_name, p_type_name),
    coalesce(p_sequence_created_at, v_now), coalesce(p_root_sequence_id, p_id),
    p_origin_id, coalesce(p_position, 0),
    CASE WHEN p_awaits_blockers THEN 'blocked' ELSE 'open' END,
    CASE WHEN p_awaits_blockers THEN 'blocked' END,
    p_input, v_priority, coalesce(p_on_blocker_failure, 'wait'), v_now, v_scheduled_at,
    p_trace_context, p_queue, p_start_cost)
  RETURNING j.ordinal INTO v_ordinal;
  IF p_awaits_blockers IS NOT TRUE THEN
    INSERT INTO {schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
    VALUES (p_id, coalesce(p_queue, p_type_name), v_priority, v_scheduled_at, v_ordinal, v_scheduled_at <= v_now);
  END IF;
  RETURN concat_ws(' ', v_ordinal, (date_part('epoch', v_now) * 1000000)::bigint,
    (date_part('epoch', v_scheduled_at) * 1000000)::bigint);
END
$routine$`,
};
