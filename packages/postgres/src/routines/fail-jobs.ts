import type { Routine } from "./routine.ts";

/**
 * Rows `failed` and `lost`. Rows `dependant` are jobs that fail with a sequence that they wait for, with their errors. Rows
 * `unblocked` are jobs that go on, with the sequence that they waited for last.
 */
export const failJobs: Routine = {
  name: "fail_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.fail_jobs(
  p_ids {id}[], p_lease_versions integer[], p_errors text[], p_acquired_us float8[],
  p_worker_ids text[])
RETURNS TABLE (
  kind text, element integer, detail text, id {id}, type_name text, sequence_id {id},
  sequence_type_name text, root_sequence_id {id}, origin_id {id}, finished_at_us bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_lock_ids {id}[];
  v_ids {id}[];
  v_elements bigint[];
  v_errors text[];
  v_acquired_us float8[] := {schema}.acquired_us(p_ids, p_lease_versions, p_acquired_us);
  v_worker_ids text[];
  v_now timestamptz;
BEGIN
  LOOP
    v_lock_ids := ARRAY(SELECT f.id FROM {schema}.jobs_failing_with(p_ids) f (id));
    BEGIN
      PERFORM 1 FROM (
        SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id
        FOR NO KEY UPDATE
      ) locked;
      IF EXISTS (
        SELECT f.id FROM {schema}.jobs_failing_with(p_ids) f (id)
        EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id))
      THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;
      v_ids := ARRAY(
        SELECT j.id FROM unnest(p_ids, p_lease_versions) AS u (id, lease_version)
        {probe j u.id}
        WHERE j.status = 'open' AND j.lease_version = u.lease_version - 1
        ORDER BY j.id)::{id}[];
      v_elements := ARRAY(
        SELECT u.element FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
        WHERE u.id = ANY(v_ids));
      v_errors := ARRAY(
        SELECT p_errors[array_position(p_ids, i.id)]
        FROM unnest(v_ids) WITH ORDINALITY AS i (id, element) ORDER BY i.element);
      v_acquired_us := ARRAY(
        SELECT v_acquired_us[array_position(p_ids, i.id)]
        FROM unnest(v_ids) WITH ORDINALITY AS i (id, element) ORDER BY i.element);
      v_worker_ids := ARRAY(
        SELECT p_worker_ids[array_position(p_ids, i.id)]
        FROM unnest(v_ids) WITH ORDINALITY AS i (id, element) ORDER BY i.element);
      EXIT;
    EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The locks are released: begin again.
    END;
  END LOOP;
  v_now := clock_timestamp();
  PERFORM {schema}.record_attempts(
    v_ids, v_worker_ids, v_acquired_us, 'failed', v_now, v_errors, NULL);
  RETURN QUERY SELECT f.kind, NULL::integer, f.error, f.id, f.type_name, f.sequence_id,
    f.sequence_type_name, f.root_sequence_id, f.origin_id, f.finished_at_us
  FROM {schema}.fail_locked_jobs(v_ids, v_errors, v_acquired_us, v_lock_ids, v_now) f;
  kind := 'lost';
  IF cardinality(v_elements) < cardinality(p_ids) THEN
    FOR element, detail IN
      SELECT l.element, l.reason
      FROM {schema}.lost_jobs(p_ids, p_lease_versions, NULL, v_elements) l
    LOOP
      RETURN NEXT;
    END LOOP;
  END IF;
END
$routine$`,
};

/** Called by other routines: fails jobs whose rows are locked and checked, and the jobs that fail with them, level by level. */
export const failLockedJobs: Routine = {
  name: "fail_locked_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.fail_locked_jobs(
  p_ids {id}[], p_errors text[], p_acquired_us float8[], p_locked_ids {id}[],
  p_now timestamptz)
RETURNS TABLE (
  kind text, error text, id {id}, type_name text, sequence_id {id}, sequence_type_name text,
  root_sequence_id {id}, origin_id {id}, finished_at_us bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_kind text := 'failed';
  v_ids {id}[] := p_ids;
  v_errors text[] := p_errors;
  v_acquired_us float8[] := p_acquired_us;
  v_sequence_ids {id}[];
  v_one record;
BEGIN
  WHILE cardinality(v_ids) > 0 LOOP
    -- One probe of the primary key a job, as in take_ready: a join might read all jobs for each failure.
    FOR v_one IN
      SELECT * FROM unnest(v_ids, v_errors, v_acquired_us) AS u (id, error, acquired_us)
    LOOP
      RETURN QUERY UPDATE {schema}.job j SET
        status = 'failed', set_aside = 'failed', last_attempt_error = v_one.error, finished_at = v_now,
        -- Of a running job, the attempt ends. A dependant is blocked and has none.
        attempt = j.attempt + CASE WHEN j.status = 'open' THEN 1 ELSE 0 END,
        lease_version = j.lease_version + CASE WHEN j.status = 'open' THEN 1 ELSE 0 END,
        last_attempt_at = coalesce(
          timestamptz 'epoch' + v_one.acquired_us * interval '1 us', j.last_attempt_at)
      WHERE j.id = v_one.id
      RETURNING v_kind, v_one.error, j.id, j.type_name, j.sequence_id, j.sequence_type_name,
        j.root_sequence_id, j.origin_id, (date_part('epoch', j.finished_at) * 1000000)::bigint;
    END LOOP;
    PERFORM {schema}.leave_turns(v_ids);
    v_sequence_ids := ARRAY(
      SELECT DISTINCT j.sequence_id FROM {schema}.job j WHERE j.id = ANY(v_ids)
      ORDER BY j.sequence_id)::{id}[];
    UPDATE {schema}.job j SET sequence_outcome = 'failed', open_key = NULL
    WHERE j.id = ANY(v_sequence_ids);
    RETURN QUERY SELECT 'unblocked', c.last_id, c.id, c.type_name, c.sequence_id,
      c.sequence_type_name, c.root_sequence_id, c.origin_id, NULL::bigint
    FROM {schema}.release_continuing(v_sequence_ids) c;
    v_kind := 'dependant';
    v_acquired_us := '{}';
    -- OFFSET 0 keeps the planner from reading all blocked jobs instead of going from edge to edge.
    SELECT coalesce(array_agg(d.id), '{}'), coalesce(array_agg(d.error), '{}') INTO v_ids, v_errors
    FROM (
      SELECT j.id, 'Blocker sequence ' || min(b.blocker_sequence_id::text) || ' failed' AS error
      FROM unnest(v_sequence_ids) AS s (id)
      CROSS JOIN LATERAL (
        SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = s.id OFFSET 0) b
      CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) j
      WHERE j.status = 'blocked' AND j.on_blocker_failure = 'fail'
        -- A job that is not locked was retried since, so this failure is not its own. IS TRUE makes a hash, not a join.
        AND (j.id IN (SELECT l.id FROM unnest(p_locked_ids) AS l (id))) IS TRUE
      GROUP BY j.id ORDER BY j.id
    ) d;
  END LOOP;
END
$routine$`,
};

/**
 * Called by other routines: the jobs, the first jobs of their sequences, and all jobs that would fail with them, or go on without
 * them.
 */
export const jobsFailingWith: Routine = {
  name: "jobs_failing_with",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.jobs_failing_with(p_ids {id}[]) RETURNS SETOF {id}
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY
  WITH RECURSIVE tree AS (
    SELECT j.id, j.sequence_id, true AS fails FROM {schema}.job j WHERE j.id = ANY(p_ids)
    UNION
    SELECT j.id, j.sequence_id, j.on_blocker_failure = 'fail'
    FROM tree t
    CROSS JOIN LATERAL (
      SELECT * FROM {schema}.job_blocker WHERE blocker_sequence_id = t.sequence_id OFFSET 0) b
    CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = b.job_id OFFSET 0) j
    WHERE t.fails AND (j.status = 'blocked' AND j.on_blocker_failure = 'fail'
      OR j.on_blocker_failure = 'continue')
  )
  SELECT u.id FROM tree t CROSS JOIN LATERAL (VALUES (t.id), (t.sequence_id)) AS u (id);
END
$routine$`,
};
