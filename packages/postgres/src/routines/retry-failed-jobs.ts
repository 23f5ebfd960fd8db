import type { Routine } from "./routine.ts";

// Keys are locked before jobs, as when jobs are created: the key and the sequence of a job never change. A blocker of a
// failed job is locked too. Otherwise it could be retried and fail
// again, or be cancelled, unseen. The job would then wait for it forever.

/**
 * Rows by element: `retried` with the job, `refused` with the reason, `key_taken` with the sequence that has the key.
 * `blocker_failed` and `blocker_cancelled` name the blocker. A job with a failed blocker is tried again in rounds, until a round
 * retries no other job.
 */
export const retryFailedJobs: Routine = {
  name: "retry_failed_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.retry_failed_jobs(p_ids {id}[])
RETURNS TABLE (kind text, element integer, detail text, job text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_lock_ids {id}[];
  v_status text;
  v_sequence_id {id};
  v_type text;
  v_key text;
  v_taken_by {id};
  v_on_failure text;
  v_failed_id {id};
  v_cancelled_id {id};
  v_failed_ids {id}[];
  v_some_continue boolean;
  v_elements integer[] := ARRAY(SELECT generate_subscripts(p_ids, 1));
  v_postponed integer[];
  v_element integer;
BEGIN
  INSERT INTO {schema}.deduplication AS d (type_name, key, touched_at)
  SELECT DISTINCT f.type_name, f.deduplication_key, v_now
  FROM {schema}.job j JOIN {schema}.job f ON f.id = j.sequence_id
  WHERE j.id = ANY(p_ids) AND f.deduplication_key IS NOT NULL
  ORDER BY f.type_name, f.deduplication_key
  ON CONFLICT (type_name, key) DO UPDATE SET touched_at = excluded.touched_at;
  LOOP
    v_lock_ids := p_ids
      || ARRAY(SELECT j.sequence_id FROM {schema}.job j WHERE j.id = ANY(p_ids))::{id}[]
      || ARRAY(SELECT b.id FROM {schema}.blockers_of_failed_jobs(p_ids) b (id))
      || ARRAY(SELECT c.id FROM {schema}.continuing_jobs(ARRAY(
        SELECT j.sequence_id FROM {schema}.job j WHERE j.id = ANY(p_ids))) c (id));
    BEGIN
      PERFORM 1 FROM (
        SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id
        FOR NO KEY UPDATE
      ) locked;
      IF EXISTS (
        (SELECT b.id FROM {schema}.blockers_of_failed_jobs(p_ids) b (id)
        UNION ALL
        SELECT c.id FROM {schema}.continuing_jobs(ARRAY(
          SELECT j.sequence_id FROM {schema}.job j WHERE j.id = ANY(p_ids))) c (id))
        EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id))
      THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;
      EXIT;
    EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The locks are released: begin again.
    END;
  END LOOP;
  -- Written, as when blockers are added: failing the blocker writes it too, so neither can miss the other.
  UPDATE {schema}.job j SET dependants = j.dependants
  FROM (
    SELECT DISTINCT b.id FROM {schema}.blockers_of_failed_jobs(p_ids) b (id) ORDER BY b.id
  ) u
  WHERE {is j.id u.id};

  v_some_continue := EXISTS (
    SELECT 1 FROM {schema}.continuing_jobs(ARRAY(
      SELECT j.sequence_id FROM {schema}.job j WHERE j.id = ANY(p_ids))));
  v_now := clock_timestamp();
  LOOP
    v_postponed := '{}';
    v_failed_ids := '{}';
    -- One at a time: of two failed sequences with one key, only the first comes back.
    FOREACH v_element IN ARRAY v_elements LOOP
      SELECT j.status, j.on_blocker_failure, j.sequence_id, f.type_name, f.deduplication_key
      INTO v_status, v_on_failure, v_sequence_id, v_type, v_key
      FROM {schema}.job j JOIN {schema}.job f ON f.id = j.sequence_id
      WHERE j.id = p_ids[v_element];
      IF NOT FOUND OR v_status <> 'failed' THEN
        RETURN QUERY SELECT 'refused', v_element,
          CASE WHEN v_status IS NULL THEN 'not_found' ELSE 'not_failed' END, NULL::text;
        CONTINUE;
      END IF;
      v_failed_id := CASE WHEN v_on_failure = 'fail' THEN (
        SELECT b.blocker_sequence_id
        FROM {schema}.job_blocker b JOIN {schema}.job f ON f.id = b.blocker_sequence_id
        WHERE b.job_id = p_ids[v_element] AND f.sequence_outcome = 'failed'
        ORDER BY b.index LIMIT 1) END;
      IF v_failed_id IS NOT NULL THEN
        v_postponed := v_postponed || v_element;
        v_failed_ids := v_failed_ids || v_failed_id;
        CONTINUE;
      END IF;
      v_cancelled_id := (
        SELECT b.blocker_sequence_id
        FROM {schema}.job_blocker b JOIN {schema}.job f ON f.id = b.blocker_sequence_id
        WHERE b.job_id = p_ids[v_element] AND f.sequence_outcome = 'cancelled'
          AND v_on_failure <> 'continue'
        ORDER BY b.index LIMIT 1);
      IF v_cancelled_id IS NOT NULL THEN
        RETURN QUERY SELECT 'blocker_cancelled', v_element, v_cancelled_id::text, NULL::text;
        CONTINUE;
      END IF;
      v_taken_by := (
        SELECT f.id FROM {schema}.job f
        WHERE f.type_name = v_type AND f.open_key = v_key
        ORDER BY f.ordinal DESC LIMIT 1);
      IF v_taken_by IS NOT NULL THEN
        RETURN QUERY SELECT 'key_taken', v_element, v_taken_by::text, NULL::text;
        CONTINUE;
      END IF;
      UPDATE {schema}.job f SET sequence_outcome = NULL, open_key = f.deduplication_key
      WHERE f.id = v_sequence_id;
      -- They had gone on without it. Those that are still there wait for it again.
      IF v_some_continue THEN
        UPDATE {schema}.job w SET incomplete_blockers = w.incomplete_blockers + 1
        FROM {schema}.continuing_jobs(ARRAY[v_sequence_id]) c (id) WHERE w.id = c.id;
      END IF;
      WITH retried AS (
        UPDATE {schema}.job j SET
          status = CASE WHEN j.incomplete_blockers > 0 THEN 'blocked' ELSE 'open' END,
          set_aside = CASE WHEN j.incomplete_blockers > 0 THEN 'blocked' END,
          attempt = 0, scheduled_at = v_now, finished_at = NULL
        WHERE j.id = p_ids[v_element]
        RETURNING j.*
      )
      INSERT INTO {schema}.ready (
        job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
      SELECT r.id, coalesce(r.queue, r.type_name), r.priority, r.scheduled_at, r.ordinal, r.released_at, true
      FROM retried r WHERE r.status = 'open';
      RETURN QUERY SELECT 'retried', v_element, NULL::text, {job j}
      FROM {schema}.job j {lease j} WHERE j.id = p_ids[v_element];
    END LOOP;
    EXIT WHEN cardinality(v_postponed) IN (0, cardinality(v_elements));
    v_elements := v_postponed;
  END LOOP;
  RETURN QUERY SELECT 'blocker_failed', u.element, u.id::text, NULL::text
  FROM unnest(v_postponed, v_failed_ids) AS u (element, id);
END
$routine$`,
};

/** Called by `retry_failed_jobs`: blockers of those jobs that have failed. */
export const blockersOfFailedJobs: Routine = {
  name: "blockers_of_failed_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.blockers_of_failed_jobs(p_ids {id}[]) RETURNS SETOF {id}
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT b.blocker_sequence_id
  FROM unnest(p_ids) AS p (id)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = p.id OFFSET 0) j
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job_blocker WHERE job_id = j.id OFFSET 0) b
  WHERE j.status = 'failed';
END
$routine$`,
};
