import type { Routine } from "./routine.ts";

/**
 * Deletes whole trees. Returns rows `not_root`, or `blocking` (an edge from outside: the waiting job, the place and the
 * blocker), or `running` (a deleted job that was running). The last row is `deleted`, with the number of jobs in `count`.
 */
export const deleteSequences: Routine = {
  name: "delete_sequences",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_sequences(p_root_ids {id}[])
RETURNS TABLE (
  kind text, detail text, place integer, count bigint, id {id}, type_name text, sequence_id {id},
  sequence_type_name text, root_sequence_id {id}, origin_id {id})
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_ids {id}[];
  v_pending_ids {id}[];
BEGIN
  kind := 'not_root';
  FOR detail IN
    SELECT u.id::text FROM unnest(p_root_ids) WITH ORDINALITY AS u (id, element)
    {probe j u.id}
    WHERE j.id <> j.root_sequence_id ORDER BY u.element
  LOOP
    RETURN NEXT;
  END LOOP;
  IF FOUND THEN RETURN; END IF;
  LOOP
    v_ids := ARRAY(SELECT t.id FROM {schema}.jobs_of_trees(p_root_ids) t (id));
    BEGIN
      PERFORM 1 FROM (
        SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_ids) ORDER BY j.id FOR UPDATE
      ) locked;
      -- Jobs may have been added to the trees during the wait for the locks.
      IF EXISTS (
        SELECT t.id FROM {schema}.jobs_of_trees(p_root_ids) t (id)
        EXCEPT SELECT l.id FROM unnest(v_ids) AS l (id))
      THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;
      EXIT;
    EXCEPTION WHEN SQLSTATE 'QU001' THEN NULL; -- The locks are released: begin again.
    END;
  END LOOP;
  RETURN QUERY SELECT 'blocking', b.blocker_sequence_id::text, b.index, NULL::bigint,
    j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id, j.origin_id
  FROM {schema}.job_blocker b JOIN {schema}.job j ON j.id = b.job_id
  WHERE b.blocker_sequence_id = ANY(v_ids)
    -- As a subquery it is a hash of all ids.
    AND b.job_id NOT IN (SELECT i.id FROM unnest(v_ids) AS i (id))
    AND j.status NOT IN ('completed', 'cancelled')
  ORDER BY b.job_id, b.index;
  IF FOUND THEN RETURN; END IF;
  v_pending_ids := {schema}.take_ready(v_ids);
  RETURN QUERY SELECT 'running', NULL::text, NULL::integer, NULL::bigint,
    j.id, j.type_name, j.sequence_id, j.sequence_type_name, j.root_sequence_id, j.origin_id
  FROM {schema}.job j WHERE j.id = ANY(v_ids) AND j.status = 'open'
    AND j.id NOT IN (SELECT p.id FROM unnest(v_pending_ids) AS p (id));
  PERFORM {schema}.leave_turns(v_ids);
  kind := 'deleted';
  detail := NULL;
  count := {schema}.delete_jobs(v_ids);
  RETURN NEXT;
END
$routine$`,
};

/** Called by other routines: the jobs of whole trees, which are those of the roots' sequences and of all started within. */
export const jobsOfTrees: Routine = {
  name: "jobs_of_trees",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.jobs_of_trees(p_root_ids {id}[]) RETURNS SETOF {id}
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY
  WITH sequences AS MATERIALIZED (
    SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_root_ids) AND j.id = j.root_sequence_id
    UNION ALL
    SELECT j.id FROM {schema}.job j
    WHERE j.root_sequence_id = ANY(p_root_ids) AND j.position = 0 AND j.id <> j.root_sequence_id
  )
  SELECT s.id FROM sequences s
  UNION ALL
  SELECT j.id FROM sequences s
  JOIN {schema}.job j ON j.sequence_id = s.id AND j.position > 0;
END
$routine$`,
};

/** Called by other routines: deletes jobs whose rows are locked, with their edges and unused keys. Returns their number. */
export const deleteJobs: Routine = {
  name: "delete_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_jobs(p_ids {id}[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_count bigint;
  v_types text[];
  v_keys text[];
  v_tried_ids {id}[];
BEGIN
  -- The deletion of the other end of an edge deletes the edge, too.
  PERFORM 1 FROM (
    SELECT b.job_id FROM (
      SELECT e.job_id, e.index FROM {schema}.job_blocker e WHERE e.job_id = ANY(p_ids)
      UNION
      SELECT e.job_id, e.index FROM {schema}.job_blocker e WHERE e.blocker_sequence_id = ANY(p_ids)
    ) k
    JOIN {schema}.job_blocker b ON b.job_id = k.job_id AND b.index = k.index
    ORDER BY b.job_id, b.index FOR UPDATE OF b
  ) locked;
  DELETE FROM {schema}.job_blocker b WHERE b.job_id = ANY(p_ids);
  DELETE FROM {schema}.job_blocker b WHERE b.blocker_sequence_id = ANY(p_ids);
  WITH gone AS (
    DELETE FROM {schema}.job j WHERE j.id = ANY(p_ids)
    RETURNING j.id, j.type_name, j.deduplication_key, j.status, j.lease_version
  )
  SELECT count(*), array_agg(g.type_name) FILTER (WHERE g.deduplication_key IS NOT NULL),
    array_agg(g.deduplication_key) FILTER (WHERE g.deduplication_key IS NOT NULL),
    -- A job that completed in its first attempt has no attempts.
    array_agg(g.id) FILTER (WHERE g.lease_version > 1 OR g.status <> 'completed')
  INTO v_count, v_types, v_keys, v_tried_ids
  FROM gone g;
  IF v_tried_ids IS NOT NULL THEN
    DELETE FROM {schema}.job_attempt a WHERE a.job_id = ANY(v_tried_ids);
  END IF;
  -- In the order of append_logs.
  DELETE FROM {schema}.job_progress p WHERE p.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.job_progress o WHERE o.job_id = ANY(p_ids)
    ORDER BY o.job_id FOR UPDATE));
  DELETE FROM {schema}.job_log l WHERE l.job_id = ANY(p_ids);
  -- A key whose last sequence was deleted loses its row too, unless a transaction is using it.
  IF v_keys IS NOT NULL THEN
    DELETE FROM {schema}.deduplication d WHERE (d.type_name, d.key) IN (
      SELECT l.type_name, l.key
      FROM (SELECT DISTINCT u.type_name, u.key FROM unnest(v_types, v_keys) AS u (type_name, key)) k
      JOIN {schema}.deduplication l ON l.type_name = k.type_name AND l.key = k.key
      WHERE NOT EXISTS (
        SELECT 1 FROM {schema}.job o
        WHERE o.type_name = l.type_name AND o.deduplication_key = l.key)
      FOR UPDATE OF l SKIP LOCKED)
      -- A transaction older than this might still read the row with an old snapshot.
      AND d.touched_at < clock_timestamp() - interval '1 hour';
  END IF;
  -- The same for ids that callers have given: few stores have any.
  IF EXISTS (SELECT 1 FROM {schema}.deduplication d WHERE d.type_name = '') THEN
    DELETE FROM {schema}.deduplication d WHERE (d.type_name, d.key) IN (
      SELECT l.type_name, l.key
      FROM unnest(p_ids) AS u (id)
      JOIN {schema}.deduplication l ON l.type_name = '' AND l.key = u.id::text
      FOR UPDATE OF l SKIP LOCKED)
      AND d.touched_at < clock_timestamp() - interval '1 hour';
  END IF;
  RETURN v_count;
END
$routine$`,
};
