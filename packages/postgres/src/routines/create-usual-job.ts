import type { Routine } from "./routine.ts";

// Most starts have no options. With `create_job`, which takes all of them, one costs the server 51 µs instead of 42
// if prepared (`bench/server-cpu.ts`). A policy that keeps rows from the role makes an INSERT fail, so `row_security` is not set.

/** As `create_job`, for a job with the usual options. Returns its ordinal and the moment in microseconds. */
export const createUsualJob: Routine = {
  name: "create_usual_job",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.create_usual_job(
  p_id {id}, p_type_name text, p_input text, p_trace_context text, p_root_sequence_id {id},
  p_origin_id {id})
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_ordinal bigint;
BEGIN
  INSERT INTO {schema}.job AS j (
    id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
    origin_id, position, status, input, priority, on_blocker_failure, created_at, scheduled_at,
    trace_context)
  VALUES (
    p_id, p_type_name, p_id, p_type_name, v_now, coalesce(p_root_sequence_id, p_id), p_origin_id, 0,
    'open', p_input, 0, 'wait', v_now, v_now, p_trace_context)
  RETURNING j.ordinal INTO v_ordinal;
  INSERT INTO {schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
  VALUES (p_id, p_type_name, 0, v_now, v_ordinal, true);
  RETURN concat_ws(' ', v_ordinal,
    (date_part('epoch', v_now) * 1000000)::bigint);
END
$routine$`,
};
