import type { Routine } from "./routine.ts";

// The first job of each blocker is written, not merely locked. The end of that sequence writes it too, so neither
// transaction can miss the other at any isolation level.

/** Rows `job`, by element, as each is afterwards, and `missing`, by element, with the id of a sequence that does not exist. */
export const addBlockers: Routine = {
  name: "add_blockers",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.add_blockers(
  p_elements integer[], p_job_ids {id}[], p_indexes integer[], p_blocker_ids {id}[],
  p_all_job_ids {id}[])
RETURNS TABLE (element integer, missing_id text, job text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_lock_ids {id}[];
  v_found_ids {id}[];
  v_completed_ids {id}[];
  v_failed_ids {id}[];
  v_cancelled_ids {id}[];
  v_refused integer[];
  v_failing_ids {id}[];
  v_failing_errors text[];
  v_now timestamptz;
BEGIN
  LOOP
    -- It is rare that a job fails at once because a blocker has failed: the dependants of such a job are locked only by
    -- the second try.
    v_lock_ids := CASE WHEN v_lock_ids IS NULL THEN p_all_job_ids || p_blocker_ids
      ELSE p_all_job_ids || p_blocker_ids
        || ARRAY(SELECT f.id FROM {schema}.jobs_failing_with(p_all_job_ids) f (id)) END;
    BEGIN
      PERFORM 1 FROM (
        SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id
        FOR NO KEY UPDATE
      ) locked;
      v_now := clock_timestamp();
      WITH touched AS (
        UPDATE {schema}.job j SET dependants = j.dependants + 1
        FROM (SELECT DISTINCT u.id FROM unnest(p_blocker_ids) AS u (id) ORDER BY u.id) u
        WHERE {is j.id u.id} AND j.position = 0
        RETURNING j.id, j.sequence_outcome
      )
      SELECT coalesce(array_agg(t.id), '{}'),
        coalesce(array_agg(t.id) FILTER (WHERE t.sequence_outcome = 'completed'), '{}'),
        coalesce(array_agg(t.id) FILTER (WHERE t.sequence_outcome = 'failed'), '{}'),
        coalesce(array_agg(t.id) FILTER (WHERE t.sequence_outcome = 'cancelled'), '{}')
      INTO v_found_ids, v_completed_ids, v_failed_ids, v_cancelled_ids
      FROM touched t;
      -- Lists of ids are searched as subqueries, which the server makes a hash of.
      v_refused := ARRAY(
        SELECT u.element FROM unnest(p_elements, p_blocker_ids) AS u (element, blocker_id)
        WHERE u.blocker_id NOT IN (SELECT l.id FROM unnest(v_found_ids) AS l (id)))::integer[];
      INSERT INTO {schema}.job_blocker (job_id, blocker_sequence_id, index)
      SELECT u.job_id, u.blocker_id, u.index
      FROM unnest(p_elements, p_job_ids, p_indexes, p_blocker_ids)
        AS u (element, job_id, index, blocker_id)
      WHERE NOT u.element = ANY(v_refused)
      ORDER BY u.blocker_id, u.job_id;
      WITH waiting AS (
        UPDATE {schema}.job j SET
          incomplete_blockers = j.incomplete_blockers + w.count,
          status = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers + w.count = 0
            THEN 'open' ELSE j.status END,
          set_aside = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers + w.count = 0
            THEN NULL ELSE j.set_aside END,
          released_at = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers + w.count = 0
            THEN v_now ELSE j.released_at END
        FROM (
          -- A job without a blocker counts, too: it waits for nothing.
          SELECT e.job_id AS id, count(DISTINCT e.blocker_id)::integer AS count
          FROM (
            SELECT a.element, a.job_id, NULL AS blocker_id
            FROM unnest(p_all_job_ids) WITH ORDINALITY AS a (job_id, element)
            UNION ALL
            SELECT u.element, u.job_id, u.blocker_id::text
            FROM unnest(p_elements, p_job_ids, p_blocker_ids) AS u (element, job_id, blocker_id)
            WHERE u.blocker_id NOT IN (SELECT l.id FROM unnest(v_completed_ids) AS l (id))
              -- A job that goes on after any end does not wait for one that has come.
              AND NOT (
                u.blocker_id IN (SELECT l.id FROM unnest(v_failed_ids || v_cancelled_ids) AS l (id))
                AND EXISTS (
                  SELECT 1 FROM {schema}.job c
                  WHERE c.id = u.job_id AND c.on_blocker_failure = 'continue'))
          ) e
          WHERE NOT e.element = ANY(v_refused)
          GROUP BY e.job_id ORDER BY e.job_id
        ) w
        WHERE {is j.id w.id}
        RETURNING j.*
      )
      INSERT INTO {schema}.ready (
        job_id, type_name, priority, scheduled_at, ordinal, released_at, is_due)
      SELECT w.id, coalesce(w.queue, w.type_name), w.priority, w.scheduled_at, w.ordinal, w.released_at,
        w.scheduled_at <= greatest(v_now, w.created_at)
      FROM waiting w WHERE w.status = 'open' AND w.released_at = v_now;

      -- A cancelled blocker never completes. A failed one may be retried, so the job decides.
      IF cardinality(v_failed_ids || v_cancelled_ids) > 0 THEN
        SELECT coalesce(array_agg(f.job_id), '{}'), coalesce(array_agg(f.error), '{}')
        INTO v_failing_ids, v_failing_errors
        FROM (
          SELECT DISTINCT ON (u.job_id) u.job_id,
            'Blocker sequence ' || u.blocker_id::text || CASE WHEN c.id IS NULL
              THEN ' failed' ELSE ' was cancelled' END AS error
          FROM unnest(p_elements, p_job_ids, p_blocker_ids)
            WITH ORDINALITY AS u (element, job_id, blocker_id, place)
          {probe j u.job_id}
          LEFT JOIN unnest(v_cancelled_ids) AS c (id) ON c.id = u.blocker_id
          WHERE NOT u.element = ANY(v_refused) AND j.status = 'blocked'
            AND j.on_blocker_failure <> 'continue' AND (c.id IS NOT NULL OR j.on_blocker_failure = 'fail'
              AND u.blocker_id IN (SELECT l.id FROM unnest(v_failed_ids) AS l (id)))
          ORDER BY u.job_id, c.id IS NULL, u.place
        ) f;
        IF EXISTS (
          SELECT f.id FROM {schema}.jobs_failing_with(v_failing_ids) f (id)
          EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id))
        THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;
        PERFORM 1 FROM {schema}.fail_locked_jobs(
          v_failing_ids, v_failing_errors, '{}', v_lock_ids, NULL);
      END IF;
      EXIT;
    EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- Locks and writes are undone: begin again.
    END;
  END LOOP;
  RETURN QUERY SELECT u.element, u.blocker_id::text, NULL::text
  FROM unnest(p_elements, p_indexes, p_blocker_ids) AS u (element, index, blocker_id)
  WHERE u.blocker_id NOT IN (SELECT l.id FROM unnest(v_found_ids) AS l (id))
  ORDER BY u.element, u.index;
  RETURN QUERY SELECT u.element::integer, NULL::text, {job j}
  FROM unnest(p_all_job_ids) WITH ORDINALITY AS u (id, element)
  {probe j u.id} {lease j};
END
$routine$`,
};
