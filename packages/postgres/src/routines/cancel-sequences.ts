import type { Routine } from "./routine.ts";

// A cancellation is a few calls in one transaction. The trees are read, and core plans. The jobs of the plan are locked, and
// the trees read again. Then the plan is written. Locks come in the order of all routines: jobs by id, then ready rows.

/**
 * Locks these jobs by id, and then reads the root trees of these sequences. Rows `job` have the status and the lease version
 * as they are shown. Rows `edge` are the blocked jobs that wait for a sequence of the trees. Rows `continuing_edge` are those that
 * go on after any end of it, and rows `continuing` such jobs in other statuses.
 */
export const viewCancellation: Routine = {
  name: "view_cancellation",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.view_cancellation(p_sequence_ids {id}[], p_lock_ids {id}[])
RETURNS TABLE (
  kind text, id {id}, type_name text, sequence_id {id}, sequence_type_name text,
  root_sequence_id {id}, origin_id {id}, "position" integer, status text, lease_version integer,
  blocker_sequence_id {id}, place integer)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_roots {id}[];
  v_ids {id}[];
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_lock_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  -- Each statement from here on has a newer snapshot than the locks.
  v_roots := ARRAY(
    SELECT DISTINCT f.root_sequence_id FROM {schema}.job f
    WHERE f.id = ANY(p_sequence_ids) AND f.position = 0);
  v_ids := ARRAY(SELECT t.id FROM {schema}.jobs_of_trees(v_roots) t (id));
  -- The jobs and their statuses in one snapshot. A job that continues between two of them would be read without its next job, and
  -- the sequence would look as if it had ended.
  RETURN QUERY SELECT 'job', j.id, j.type_name, j.sequence_id, j.sequence_type_name,
    j.root_sequence_id, j.origin_id, j.position,
    CASE WHEN j_lease.leased_until IS NOT NULL THEN 'running'
      WHEN j.status = 'open' THEN 'pending' ELSE j.status END,
    j.lease_version + CASE WHEN j_lease.leased_until IS NULL THEN 0 ELSE 1 END,
    NULL::{id}, NULL::integer
  FROM {schema}.jobs_of_trees(v_roots) t (id) {probe j t.id} {lease j};
  RETURN QUERY SELECT CASE WHEN w.on_blocker_failure <> 'continue' THEN 'edge'
      WHEN w.status = 'blocked' THEN 'continuing_edge' ELSE 'continuing' END, w.id, w.type_name, w.sequence_id, w.sequence_type_name,
    w.root_sequence_id, w.origin_id, w.position, w.status, w.lease_version,
    b.blocker_sequence_id, b.index
  FROM unnest(v_ids) AS v (id)
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = v.id OFFSET 0) b
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) w
  WHERE w.status = 'blocked' OR w.on_blocker_failure = 'continue'
  ORDER BY w.ordinal, b.index;
END
$routine$`,
};

/** Cancels jobs, and fails others, whose rows are locked and checked. Returns the cancelled jobs that were running. */
export const cancelLockedJobs: Routine = {
  name: "cancel_locked_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.cancel_locked_jobs(
  p_ids {id}[], p_reason text, p_dependant_ids {id}[], p_errors text[])
RETURNS TABLE (id {id})
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_running bigint[];
  v_ended_versions integer[] := {schema}.end_without_worker(p_ids);
  v_acquired_us float8[] := {schema}.acquired_us(p_ids, v_ended_versions, '{}');
  v_end record;
  v_sequence_id {id};
BEGIN
  v_now := clock_timestamp();
  v_running := ARRAY(
    SELECT u.element FROM unnest(v_ended_versions) WITH ORDINALITY AS u (version, element)
    WHERE u.version IS NOT NULL);
  IF v_running <> '{}' THEN
    PERFORM {schema}.record_attempts(
      array_agg(p_ids[r.element]), NULL, array_agg(v_acquired_us[r.element]), 'cancelled', v_now,
      array_agg('The sequence was cancelled'::text), NULL)
    FROM unnest(v_running) AS r (element);
  END IF;
  -- One probe of the primary key a job, as in take_ready: a join might read all jobs for each end.
  FOR v_end IN
    SELECT u.*, true AS is_cancelled, NULL AS error
    FROM unnest(p_ids, v_ended_versions, v_acquired_us) AS u (id, version, acquired_us)
    UNION ALL
    SELECT u.id, NULL, NULL, false, u.error FROM unnest(p_dependant_ids, p_errors) AS u (id, error)
  LOOP
    IF v_end.is_cancelled THEN
      UPDATE {schema}.job j SET
        status = 'cancelled', set_aside = NULL, output = p_reason, finished_at = v_now,
        -- Of a running job, the attempt and the lease end.
        attempt = j.attempt + CASE WHEN v_end.version IS NULL THEN 0 ELSE 1 END,
        lease_version = coalesce(v_end.version, j.lease_version),
        last_attempt_at = CASE WHEN v_end.version IS NULL THEN j.last_attempt_at
          ELSE coalesce(timestamptz 'epoch' + v_end.acquired_us * interval '1 us', v_now) END
      WHERE j.id = v_end.id RETURNING j.sequence_id INTO v_sequence_id;
    ELSE
      UPDATE {schema}.job j SET
        status = 'failed', set_aside = 'failed', last_attempt_error = v_end.error, finished_at = v_now
      WHERE j.id = v_end.id RETURNING j.sequence_id INTO v_sequence_id;
    END IF;
    -- The first job of its sequence: adding a blocker writes it too, so neither can miss the other.
    UPDATE {schema}.job f SET
      sequence_outcome = CASE WHEN v_end.is_cancelled THEN 'cancelled' ELSE 'failed' END, open_key = NULL
    WHERE f.id = v_sequence_id;
  END LOOP;
  PERFORM {schema}.leave_turns(p_ids);
  RETURN QUERY SELECT u.id FROM unnest(p_ids, v_ended_versions) AS u (id, ended_version)
  WHERE u.ended_version IS NOT NULL;
END
$routine$`,
};
