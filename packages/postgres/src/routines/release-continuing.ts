import type { Routine } from "./routine.ts";

// A job with `on_blocker_failure = 'continue'` waits for no sequence that has ended in any way. Its count of incomplete blockers
// goes down with a failure or a cancellation, and up again with a retry. A completion always lowers it.

/** Called for sequences that have failed or were cancelled, whose dependants are locked. Returns the jobs that wait no more. */
export const releaseContinuing: Routine = {
  name: "release_continuing",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.release_continuing(p_sequence_ids {id}[])
RETURNS TABLE (
  id {id}, type_name text, sequence_id {id}, sequence_type_name text, root_sequence_id {id},
  origin_id {id}, last_id text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH released AS (
    UPDATE {schema}.job j SET
      incomplete_blockers = j.incomplete_blockers - d.count,
      status = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.count
        THEN 'open' ELSE j.status END,
      set_aside = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.count
        THEN NULL ELSE j.set_aside END,
      released_at = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.count
        THEN v_now ELSE j.released_at END
    FROM (
      SELECT b.job_id, count(DISTINCT b.blocker_sequence_id)::integer AS count,
        min(b.blocker_sequence_id::text) AS last_id
      FROM unnest(p_sequence_ids) AS s (id)
      CROSS JOIN LATERAL (
        SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = s.id OFFSET 0) b
      CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) w
      WHERE w.on_blocker_failure = 'continue'
      GROUP BY b.job_id ORDER BY b.job_id
    ) d
    WHERE {is j.id d.job_id}
    RETURNING j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id,
      j.origin_id, j.status, j.incomplete_blockers, d.last_id, j.priority, j.scheduled_at,
      j.ordinal, j.created_at, j.released_at, j.queue
  ), made_ready AS (
    INSERT INTO {schema}.ready (
      job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
    SELECT r.id, coalesce(r.queue, r.type_name), r.priority, r.scheduled_at, r.ordinal, r.released_at,
      r.scheduled_at <= greatest(v_now, r.created_at)
    FROM released r
    WHERE r.status = 'open' AND r.incomplete_blockers = 0 AND r.released_at = v_now
  )
  SELECT r.id, r.type_name, r.sequence_id, r.sequence_type_name, r.root_sequence_id, r.origin_id,
    r.last_id
  FROM released r
  WHERE r.status = 'open' AND r.incomplete_blockers = 0 AND r.released_at = v_now;
END
$routine$`,
};

/** Called by other routines: the jobs that go on without these sequences, in any status. */
export const continuingJobs: Routine = {
  name: "continuing_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.continuing_jobs(p_sequence_ids {id}[]) RETURNS SETOF {id}
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT DISTINCT w.id
  FROM unnest(p_sequence_ids) AS s (id)
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = s.id OFFSET 0) b
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) w
  WHERE w.on_blocker_failure = 'continue';
END
$routine$`,
};
