import type { Routine } from "./routine.ts";

// Most completions end a sequence of one job that no other job waits for, or name a next job that
// is already stored. One UPDATE writes those. For the others, and for lost jobs, `complete_jobs` is
// called within the same statement, because the client may have sent COMMIT behind it.
//
// A dependant may be added while the UPDATE waits for the row. The server then checks the condition
// again with the new row, and the row stays locked although it was not written. The subtransaction
// releases that lock, because `complete_jobs` locks dependants with lower ids first.

/**
 * Completes one running job, without a new continuation. Returns the moment in microseconds, or the rows of
 * `complete_jobs` as a JSON array.
 */
export const completeJob: Routine = {
  name: "complete_job",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.complete_job(
  p_worker_id text, p_id {id}, p_lease_version integer, p_output text, p_continued_to_id {id},
  p_acquired_us float8, p_commits boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = {path}
SET row_security = off
SET enable_seqscan = off
AS $routine$
DECLARE
  v_now timestamptz;
  v_queue text;
BEGIN
  IF p_acquired_us IS NOT NULL THEN
    BEGIN
      UPDATE {schema}.job j SET
        status = 'completed', output = p_output, continued_to_id = p_continued_to_id,
        finished_at = clock_timestamp(), completed_by = p_worker_id,
        attempt = j.attempt + 1, lease_version = p_lease_version,
        last_attempt_at = timestamptz 'epoch' + p_acquired_us * interval '1 us',
        open_key = CASE WHEN p_output IS NULL THEN j.open_key END,
        sequence_outcome = CASE WHEN j.position = 0 AND p_output IS NOT NULL THEN 'completed' END
      WHERE j.id = p_id AND j.status = 'open' AND j.lease_version = p_lease_version - 1
        AND (p_output IS NULL OR j.position = 0 AND j.dependants = 0)
      RETURNING j.finished_at, j.queue INTO v_now, v_queue;
      IF v_queue IS NOT NULL THEN PERFORM {schema}.leave_turns_of(ARRAY[v_queue], '{1}', 1); END IF;
      IF v_now IS NOT NULL THEN RETURN (date_part('epoch', v_now) * 1000000)::bigint; END IF;
      RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001';
    EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The lock is released.
    END;
  END IF;
  RETURN (
    SELECT json_agg(json_build_object(
      'kind', c.kind, 'element', c.element, 'detail', c.detail,
      'id', c.id::text, 'type_name', c.type_name, 'sequence_id', c.sequence_id::text,
      'sequence_type_name', c.sequence_type_name, 'root_sequence_id', c.root_sequence_id::text,
      'origin_id', c.origin_id::text, 'finished_at_us', c.finished_at_us,
      'is_stored_by_this_lease', c.is_stored_by_this_lease))
    FROM {schema}.complete_jobs(
      p_worker_id, ARRAY[p_id], ARRAY[p_lease_version], ARRAY[p_output], ARRAY[p_continued_to_id],
      ARRAY[p_acquired_us], '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', p_commits) c);
END
$routine$`,
};
