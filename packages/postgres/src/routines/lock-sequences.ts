import type { Routine } from "./routine.ts";

/**
 * Rows `first` and, if the sequence was continued, `current`, by element. Locks all rows that completing the sequences
 * writes, so that completing them in the same transaction waits for no other lock.
 */
export const lockSequences: Routine = {
  name: "lock_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.lock_sequences(p_ids {id}[])
RETURNS TABLE (role text, element integer, job text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_lock_ids {id}[];
  v_deadlocks integer := 0;
BEGIN
  LOOP
    v_lock_ids := ARRAY(SELECT r.id FROM {schema}.rows_of_sequences(p_ids) r (id));
    BEGIN
      PERFORM 1 FROM (
        SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id
        FOR NO KEY UPDATE
      ) locked;
      -- An acquisition passes a pending job by.
      PERFORM 1 FROM (
        SELECT * FROM {schema}.job WHERE id = ANY(v_lock_ids) AND status = 'open' OFFSET 0
      ) j CROSS JOIN LATERAL (
        SELECT 1 FROM {schema}.ready r
        WHERE r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
          AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal
        OFFSET 0 FOR UPDATE
      ) locked;
      -- A sequence that was continued during the wait has another current job.
      IF EXISTS (
        SELECT r.id FROM {schema}.rows_of_sequences(p_ids) r (id)
        EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id))
      THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;
      EXIT;
    EXCEPTION
      WHEN SQLSTATE 'QU001' THEN NULL; -- The locks are released: begin again.
      WHEN deadlock_detected THEN
        -- An acquisition has a ready row or a lost job, and waits for another row for up to 500 ms (see lock_free_jobs).
        v_deadlocks := v_deadlocks + 1;
        -- The locks that the transaction had before are not released: then it is a deadlock of the caller.
        IF v_deadlocks = 3 THEN RAISE; END IF;
        -- The locks are released. Without a pause it could take them again before the other transaction wakes up.
        PERFORM pg_sleep(0.1 * v_deadlocks);
    END;
  END LOOP;
  RETURN QUERY SELECT 'first', u.element::integer, {job j}
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  {probe j u.id} {lease j} WHERE j.position = 0;
  RETURN QUERY SELECT 'current', u.element::integer, {job j}
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  CROSS JOIN LATERAL (
    SELECT c.* FROM {schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
    ORDER BY c.position DESC LIMIT 1) j {lease j};
END
$routine$`,
};

/** Called by `lock_sequences`: first jobs, current jobs, and the jobs that wait for the sequences. */
export const rowsOfSequences: Routine = {
  name: "rows_of_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.rows_of_sequences(p_ids {id}[]) RETURNS SETOF {id}
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT u.id
  FROM {schema}.job f
  LEFT JOIN LATERAL (
    SELECT s.id FROM {schema}.job s WHERE s.sequence_id = f.id AND s.position > 0
    ORDER BY s.position DESC LIMIT 1) c ON true
  CROSS JOIN LATERAL (VALUES (f.id), (c.id)) AS u (id)
  WHERE f.id = ANY(p_ids) AND f.position = 0 AND u.id IS NOT NULL;
  RETURN QUERY SELECT b.job_id FROM {schema}.job_blocker b WHERE b.blocker_sequence_id = ANY(p_ids);
END
$routine$`,
};
