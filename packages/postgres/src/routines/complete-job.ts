import type { Routine } from "./routine.ts";

// Most completions end a sequence of one job that no other job waits for, or name a next job that
// is already stored. One UPDATE writes those. For the others, and for lost jobs, `complete_jobs` is
// called within the same statement, because the client may have sent COMMIT behind it.
//
// A dependant may be added while the UPDATE waits for the row. The server then checks the condition
// again with the new row, and the row stays locked although it was not written. The subtransaction
// releases that lock, because `complete_jobs` locks dependants with lower ids first.
//
// The status is compared within CASE. Otherwise the planner may read the index of the running jobs
// if the statistics show few of them.

/**
 * Completes one job, without a new continuation. Returns the moment in microseconds, or the rows of
 * `complete_jobs` as a JSON array.
 *
 * CPU of the server for one call: 60 µs if prepared, 85 µs if not; `complete_jobs` needs 96 and 168.
 * A plain UPDATE needs 46 µs if prepared and 116 µs if not, where the function needs 70 and 86. To
 * plan an UPDATE of a table with eight indexes costs more than the call of a function.
 */
export const completeJob: Routine = {
  name: "complete_job",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.complete_job(
  p_worker_id text, p_id {id}, p_lease_version integer, p_output text, p_continued_to_id {id},
  p_commits boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
SET row_security = off
SET enable_seqscan = off
AS $routine$
DECLARE
  v_now timestamptz;
BEGIN
  BEGIN
    UPDATE {schema}.job j SET
      status = 'completed', output = p_output, continued_to_id = p_continued_to_id,
      finished_at = clock_timestamp(), completed_by = p_worker_id,
      leased_by = NULL, leased_until = NULL,
      sequence_outcome = CASE WHEN j.position = 0 AND p_output IS NOT NULL THEN 'completed' END
    WHERE j.id = p_id AND CASE
      WHEN p_output IS NOT NULL AND (j.position > 0 OR j.dependants > 0) THEN false
      WHEN p_lease_version IS NULL THEN j.status IN ('blocked', 'pending', 'running')
      ELSE j.status = 'running' AND j.lease_version = p_lease_version END
    RETURNING j.finished_at INTO v_now;
    IF FOUND THEN RETURN (date_part('epoch', v_now) * 1000000)::bigint; END IF;
    RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001';
  EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The lock is released.
  END;
  RETURN (
    SELECT json_agg(json_build_object(
      'kind', c.kind, 'element', c.element, 'detail', c.detail,
      'id', c.id::text, 'type_name', c.type_name, 'sequence_id', c.sequence_id::text,
      'sequence_type_name', c.sequence_type_name, 'root_sequence_id', c.root_sequence_id::text,
      'origin_id', c.origin_id::text, 'finished_at_us', c.finished_at_us,
      'is_stored_by_this_lease', c.is_stored_by_this_lease))
    FROM {schema}.complete_jobs(
      p_worker_id, ARRAY[p_id], ARRAY[p_lease_version], ARRAY[p_output], ARRAY[p_continued_to_id],
      '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', p_commits) c);
END
$routine$`,
};
