import type { Routine } from "./routine.ts";

/**
 * Called by other routines, with locked jobs and before their rows change: keeps the attempts that end now. If the worker is not
 * known, the rows of "lease" are searched. If `p_next_at` is NULL, the jobs are never due again; an element that is NULL keeps
 * the due time.
 */
export const recordAttempts: Routine = {
  name: "record_attempts",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.record_attempts(
  p_ids {id}[], p_worker_ids text[], p_acquired_us float8[], p_outcome text,
  p_ended_at timestamptz, p_errors text[], p_next_at timestamptz[])
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_last integer;
BEGIN
  WITH kept AS (
    INSERT INTO {schema}.job_attempt (
      job_id, lease_version, attempt, worker_id, due_at, started_at, ended_at, outcome, next_at, error)
    SELECT j.id, j.lease_version + 1, j.attempt + 1,
      coalesce(u.worker_id, (
        SELECT l.worker_id FROM {schema}.lease l
        WHERE l.first_ordinal <= j.ordinal AND l.last_ordinal >= j.ordinal
          AND l.lease_versions[array_position(l.job_ids, j.id)] = j.lease_version + 1
        LIMIT 1), ''),
      j.scheduled_at, coalesce(timestamptz 'epoch' + u.acquired_us * interval '1 us', p_ended_at),
      p_ended_at, p_outcome,
      CASE WHEN p_next_at IS NOT NULL THEN coalesce(u.next_at, j.scheduled_at) END,
      left(u.error, 4000)
    FROM unnest(p_ids, p_worker_ids, p_acquired_us, p_errors, p_next_at)
      AS u (id, worker_id, acquired_us, error, next_at)
    {probe j u.id}
    RETURNING lease_version
  )
  SELECT max(k.lease_version) INTO v_last FROM kept k;
  -- The first attempt and the last 19 stay. Lease versions grow by one.
  IF v_last > 20 THEN
    DELETE FROM {schema}.job_attempt a
    USING unnest(p_ids) AS u (id) {probe j u.id}
    WHERE a.job_id = u.id AND a.lease_version <= j.lease_version + 1 - 19
      AND a.lease_version > (
        SELECT min(f.lease_version) FROM {schema}.job_attempt f WHERE f.job_id = u.id);
  END IF;
  RETURN v_last;
END
$routine$`,
};

/** Called by other routines, with locked jobs: ends the attempts of workers that were lost. */
export const endExpiredAttempts: Routine = {
  name: "end_expired_attempts",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.end_expired_attempts(
  p_ids {id}[], p_worker_ids text[], p_acquired_at timestamptz[], p_now timestamptz)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_errors text[] := ARRAY(
    SELECT 'The lease of worker ' || u.worker_id || ' expired'
    FROM unnest(p_worker_ids) WITH ORDINALITY AS u (worker_id, element) ORDER BY u.element);
BEGIN
  PERFORM {schema}.record_attempts(
    p_ids, p_worker_ids, array_agg(date_part('epoch', u.acquired_at) * 1000000 ORDER BY u.element),
    'lease_expired', p_now, v_errors, array_agg(NULL::timestamptz))
  FROM unnest(p_acquired_at) WITH ORDINALITY AS u (acquired_at, element);
  UPDATE {schema}.job j SET
    attempt = j.attempt + 1, lease_version = j.lease_version + 1, last_attempt_at = u.acquired_at,
    last_attempt_error = u.error
  FROM unnest(p_ids, p_acquired_at, v_errors) AS u (id, acquired_at, error)
  WHERE {is j.id u.id};
  PERFORM {schema}.leave_turns(p_ids);
  RETURN cardinality(p_ids);
END
$routine$`,
};

/** The attempts of jobs that did not complete them, the oldest first. */
export const listAttempts: Routine = {
  name: "list_attempts",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_attempts(p_ids {id}[])
RETURNS TABLE (
  element integer, lease_version integer, attempt integer, worker_id text, due_at_us bigint,
  started_at_us bigint, ended_at_us bigint, outcome text, next_at_us bigint, error text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT u.element::integer, a.lease_version, a.attempt, a.worker_id,
    (date_part('epoch', a.due_at) * 1000000)::bigint,
    (date_part('epoch', a.started_at) * 1000000)::bigint,
    (date_part('epoch', a.ended_at) * 1000000)::bigint, a.outcome,
    (date_part('epoch', a.next_at) * 1000000)::bigint, a.error
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN {schema}.job_attempt a ON a.job_id = u.id
  ORDER BY u.element, a.lease_version;
END
$routine$`,
};
