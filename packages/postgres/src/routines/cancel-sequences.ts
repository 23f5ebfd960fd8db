import type { Routine } from "./routine.ts";

// A cancellation is a few calls in one transaction. The trees are read, and core plans. The jobs of the plan are locked, and
// the trees read again. Then the plan is written. Locks come in the order of all routines: jobs by id, then ready rows.

/**
 * Locks these jobs by id, and then reads the root trees of these sequences. Rows `job` have the status and the lease version
 * as they are shown. Rows `edge` are the blocked jobs that wait for a sequence of the trees.
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
  v_ids {id}[];
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_lock_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  -- Each statement from here on has a newer snapshot than the locks.
  v_ids := ARRAY(SELECT t.id FROM {schema}.jobs_of_trees(ARRAY(
    SELECT DISTINCT f.root_sequence_id FROM {schema}.job f
    WHERE f.id = ANY(p_sequence_ids) AND f.position = 0)) t (id));
  RETURN QUERY SELECT 'job', j.id, j.type_name, j.sequence_id, j.sequence_type_name,
    j.root_sequence_id, j.origin_id, j.position,
    CASE WHEN j_lease.leased_until IS NOT NULL THEN 'running'
      WHEN j.status = 'open' THEN 'pending' ELSE j.status END,
    j.lease_version + CASE WHEN j_lease.leased_until IS NULL THEN 0 ELSE 1 END,
    NULL::{id}, NULL::integer
  FROM {schema}.job j {lease j} WHERE j.id = ANY(v_ids);
  RETURN QUERY SELECT 'edge', w.id, w.type_name, w.sequence_id, w.sequence_type_name,
    w.root_sequence_id, w.origin_id, w.position, w.status, w.lease_version,
    b.blocker_sequence_id, b.index
  FROM unnest(v_ids) AS v (id)
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = v.id OFFSET 0) b
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) w
  WHERE w.status = 'blocked'
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
  v_ended_versions integer[] := {schema}.end_without_worker(p_ids);
  v_acquired_us float8[] := {schema}.acquired_us(p_ids, v_ended_versions, '{}');
BEGIN
  v_now := clock_timestamp();
  UPDATE {schema}.job j SET
    status = 'cancelled', set_aside = NULL, output = p_reason, finished_at = v_now,
    -- Of a running job, the attempt and the lease end.
    attempt = j.attempt + CASE WHEN u.ended_version IS NULL THEN 0 ELSE 1 END,
    lease_version = coalesce(u.ended_version, j.lease_version),
    last_attempt_at = CASE WHEN u.ended_version IS NULL THEN j.last_attempt_at
      ELSE coalesce(timestamptz 'epoch' + u.acquired_us * interval '1 us', v_now) END
  FROM unnest(p_ids, v_ended_versions, v_acquired_us) AS u (id, ended_version, acquired_us)
  WHERE j.id = u.id;
  UPDATE {schema}.job j SET
    status = 'failed', set_aside = 'failed', last_attempt_error = u.error, finished_at = v_now
  FROM unnest(p_dependant_ids, p_errors) AS u (id, error) WHERE j.id = u.id;
  -- The first jobs of their sequences: adding a blocker writes them too, so neither can miss the other.
  UPDATE {schema}.job f SET sequence_outcome = s.outcome, open_key = NULL
  FROM (
    SELECT DISTINCT ON (j.sequence_id) j.sequence_id, j.status AS outcome
    FROM {schema}.job j WHERE j.id = ANY(p_ids || p_dependant_ids)
  ) s
  WHERE f.id = s.sequence_id;
  RETURN QUERY SELECT u.id FROM unnest(p_ids, v_ended_versions) AS u (id, ended_version)
  WHERE u.ended_version IS NOT NULL;
END
$routine$`,
};
