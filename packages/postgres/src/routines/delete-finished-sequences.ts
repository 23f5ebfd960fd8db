import type { Routine } from "./routine.ts";

/** Deletes finished trees by age, the oldest first, and returns the number of deleted jobs. */
export const deleteFinishedSequences: Routine = {
  name: "delete_finished_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_finished_sequences(
  p_completed_ms float8, p_failed_ms float8, p_cancelled_ms float8, p_limit integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_youngest timestamptz := v_now - least(p_completed_ms, p_failed_ms, p_cancelled_ms) * interval '1 ms';
  v_job record;
  v_roots {id}[] := '{}';
  v_ids {id}[];
  v_lock_ids {id}[];
BEGIN
  -- The oldest jobs first. The walk ends when it has found enough, or at the first job that is too young to have been finished
  -- for so long.
  FOR v_job IN SELECT r.id, r.created_at, r.position, r.root_sequence_id, r.sequence_outcome, r.status, r.finished_at
    FROM {schema}.job r ORDER BY r.ordinal
  LOOP
    EXIT WHEN v_job.created_at > v_youngest OR cardinality(v_roots) >= p_limit;
    CONTINUE WHEN v_job.position > 0 OR v_job.id <> v_job.root_sequence_id
      OR v_job.sequence_outcome IS NULL;
    IF NOT EXISTS (
      SELECT 1 FROM (
        SELECT f.id, f.status, f.finished_at FROM {schema}.job f
        WHERE f.root_sequence_id = v_job.id AND f.position = 0 AND f.id <> f.root_sequence_id
        UNION ALL
        SELECT v_job.id, v_job.status, v_job.finished_at
      ) q
      CROSS JOIN LATERAL (
        SELECT q.id, q.status, q.finished_at
        UNION ALL
        SELECT c.id, c.status, c.finished_at FROM {schema}.job c
        WHERE c.sequence_id = q.id AND c.position > 0
      ) t
      WHERE CASE t.status
        WHEN 'completed' THEN p_completed_ms IS NULL
          OR t.finished_at > v_now - p_completed_ms * interval '1 ms'
        WHEN 'failed' THEN p_failed_ms IS NULL
          OR t.finished_at > v_now - p_failed_ms * interval '1 ms'
        WHEN 'cancelled' THEN p_cancelled_ms IS NULL
          OR t.finished_at > v_now - p_cancelled_ms * interval '1 ms'
        ELSE true END
        OR EXISTS (
          SELECT 1 FROM {schema}.job_blocker b {probe w b.job_id}
          WHERE b.blocker_sequence_id = t.id AND w.root_sequence_id <> v_job.id
            AND w.status NOT IN ('completed', 'cancelled')))
    THEN
      v_roots := v_roots || v_job.id;
    END IF;
  END LOOP;
  IF v_roots = '{}' THEN RETURN 0; END IF;

  -- Retention waits for no lock: a tree that grew, or of which another transaction has locked a row, is left for the next
  -- pass. The trees are checked again under the locks, because a job may have been retried or waited for meanwhile.
  v_ids := ARRAY(SELECT t.id FROM {schema}.jobs_of_trees(v_roots) t (id));
  v_lock_ids := ARRAY(
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_ids)
    ORDER BY j.id FOR UPDATE SKIP LOCKED);
  v_ids := ARRAY(SELECT t.id FROM {schema}.jobs_of_trees(v_roots) t (id));
  v_roots := ARRAY(
    SELECT r.id FROM unnest(v_roots) AS r (id)
    EXCEPT
    SELECT t.root_sequence_id
    FROM (
      SELECT v.id FROM unnest(v_ids) AS v (id)
      EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id)
    ) x
    {probe t x.id}
    EXCEPT
    SELECT t.root_sequence_id FROM {schema}.job t
    WHERE t.id = ANY(v_ids) AND (t.status NOT IN ('completed', 'failed', 'cancelled') OR EXISTS (
      SELECT 1 FROM {schema}.job_blocker b {probe w b.job_id}
      WHERE b.blocker_sequence_id = t.id AND w.root_sequence_id <> t.root_sequence_id
        AND w.status NOT IN ('completed', 'cancelled'))));
  RETURN {schema}.delete_jobs(ARRAY(
    SELECT j.id FROM {schema}.job j
    WHERE j.id = ANY(v_lock_ids) AND j.root_sequence_id = ANY(v_roots)));
END
$routine$`,
};
