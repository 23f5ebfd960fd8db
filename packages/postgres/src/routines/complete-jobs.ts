import type { Routine } from "./routine.ts";

// Locks come in one order: jobs by id, then edges. Beside the completed jobs, two kinds of rows
// must be locked. They are first jobs of sequences that end at a later job, and jobs that wait for
// a sequence that ends. Only the update shows them. They are then locked without waiting (`lock_free_jobs`).
// If another transaction has one of them, the subtransaction is undone, and the statement begins
// again with all locks in order.

/**
 * Returns these rows:
 * - `created`: a continuation
 * - `unblocked`: a job that waits no more, with the ended sequence in `detail`
 * - `lost`: an element that was not written, with the reason
 * - `summary`, the last row: the moment
 *
 * With `p_commits` a lost element raises QU002 with the lost rows in DETAIL, because COMMIT is sent
 * behind the call.
 */
export const completeJobs: Routine = {
  name: "complete_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.complete_jobs(
  p_worker_id text, p_ids {id}[], p_lease_versions integer[], p_outputs text[],
  p_continued_to_ids {id}[], p_acquired_us float8[], p_type_names text[], p_inputs text[], p_at timestamptz[],
  p_after_ms float8[], p_priorities integer[], p_awaits_blockers boolean[],
  p_on_blocker_failures text[], p_trace_contexts text[], p_queues text[],
  p_start_costs integer[], p_positions integer[], p_commits boolean)
RETURNS TABLE (
  kind text, element integer, detail text, id {id}, type_name text, sequence_id {id},
  sequence_type_name text, root_sequence_id {id}, origin_id {id}, ordinal bigint,
  created_at_us bigint, scheduled_at_us bigint, finished_at_us bigint,
  is_stored_by_this_lease boolean)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  -- Without a worker a job may be pending, and its row is locked before its ready row.
  v_locks_first boolean := p_lease_versions[1] IS NULL;
  v_acquired_us float8[];
  v_ended_versions integer[];
  v_lock_ids {id}[];
  v_elements bigint[];
  v_ended_ids {id}[];
  v_awaited_ids {id}[];
  v_queues text[];
  v_places bigint[];
  v_lost text;
BEGIN
  LOOP
    BEGIN
      IF v_locks_first THEN
        v_lock_ids := ARRAY(
          SELECT DISTINCT j.sequence_id
          FROM unnest(p_ids, p_outputs) AS u (id, output)
          {probe j u.id}
          WHERE u.output IS NOT NULL AND (j.position > 0 OR j.dependants > 0))::{id}[];
        v_lock_ids := p_ids || v_lock_ids || ARRAY(
          SELECT b.job_id FROM {schema}.job_blocker b
          WHERE b.blocker_sequence_id = ANY(v_lock_ids))::{id}[];
        PERFORM 1 FROM (
          SELECT j.id FROM {schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id
          FOR NO KEY UPDATE
        ) locked;
      END IF;
      v_ended_versions := p_lease_versions;
      IF p_lease_versions[1] IS NULL THEN
        v_ended_versions := {schema}.end_without_worker(p_ids);
      END IF;
      v_acquired_us := p_acquired_us;
      IF cardinality(p_acquired_us) = 0 OR array_position(p_acquired_us, NULL::float8) > 0 THEN
        v_acquired_us := {schema}.acquired_us(p_ids, v_ended_versions, p_acquired_us);
      END IF;
      v_now := clock_timestamp();
      WITH completed AS (
        UPDATE {schema}.job j SET
          status = 'completed', output = u.output, continued_to_id = u.continued_to_id,
          finished_at = v_now, completed_by = p_worker_id, set_aside = NULL,
          attempt = j.attempt + CASE WHEN u.ended_version IS NULL THEN 0 ELSE 1 END,
          lease_version = coalesce(u.ended_version, j.lease_version),
          last_attempt_at = CASE WHEN u.ended_version IS NULL THEN j.last_attempt_at
            ELSE coalesce(timestamptz 'epoch' + u.acquired_us * interval '1 us', v_now) END,
          open_key = CASE WHEN u.output IS NULL THEN j.open_key END,
          sequence_outcome = CASE WHEN j.position = 0 AND u.output IS NOT NULL THEN 'completed' END
        FROM (
          SELECT * FROM unnest(
            p_ids, p_lease_versions, v_ended_versions, v_acquired_us, p_outputs, p_continued_to_ids)
          WITH ORDINALITY AS u (
            id, lease_version, ended_version, acquired_us, output, continued_to_id, element)
          ORDER BY u.id
        ) u
        WHERE {is j.id u.id} AND (
          u.lease_version IS NULL AND j.status IN ('blocked', 'open')
          OR j.status = 'open' AND j.lease_version = u.lease_version - 1)
        RETURNING u.element, j.sequence_id, j.position, j.dependants, u.output IS NOT NULL AS ended,
          j.queue
      )
      SELECT
        coalesce(array_agg(c.element), '{}'),
        array_agg(c.sequence_id) FILTER (WHERE c.ended AND c.position > 0),
        array_agg(c.sequence_id) FILTER (WHERE c.ended AND c.position = 0 AND c.dependants > 0),
        array_agg(c.queue) FILTER (WHERE c.queue IS NOT NULL),
        array_agg(c.element) FILTER (WHERE c.queue IS NOT NULL)
      INTO v_elements, v_ended_ids, v_awaited_ids, v_queues, v_places
      FROM completed c;
      IF v_queues IS NOT NULL THEN
        PERFORM {schema}.leave_turns_of(v_queues, v_places, cardinality(p_ids));
      END IF;

      IF v_ended_ids IS NOT NULL THEN
        IF NOT {schema}.lock_free_jobs(v_ended_ids) THEN
          RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001';
        END IF;
        WITH ended AS (
          UPDATE {schema}.job j SET sequence_outcome = 'completed', open_key = NULL
          FROM (SELECT DISTINCT e.id FROM unnest(v_ended_ids) AS e (id) ORDER BY e.id) e
          WHERE {is j.id e.id}
          RETURNING j.id, j.dependants
        )
        SELECT v_awaited_ids || array_agg(e.id) INTO v_awaited_ids
        FROM ended e WHERE e.dependants > 0;
      END IF;
      -- No row was returned yet, so the statement can still begin again. The first job of an
      -- awaited sequence is written here, which keeps its edges: adding a blocker writes it too.
      IF v_awaited_ids IS NOT NULL AND NOT {schema}.lock_free_jobs(ARRAY(
        SELECT b.job_id FROM {schema}.job_blocker b
        WHERE b.blocker_sequence_id = ANY(v_awaited_ids))::{id}[])
      THEN RAISE EXCEPTION 'queuert: more rows to lock' USING ERRCODE = 'QU001'; END IF;

      IF cardinality(p_type_names) > 0 THEN
        RETURN QUERY
        WITH created AS (
          INSERT INTO {schema}.job AS j (
            id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
            origin_id, position, status, set_aside, input, priority, on_blocker_failure,
            created_at, scheduled_at, trace_context, queue, start_cost)
          SELECT
            u.next_id, u.type_name, p.sequence_id, p.sequence_type_name, p.sequence_created_at,
            p.root_sequence_id, p.id, u.position,
            CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'open' END,
            CASE WHEN u.awaits_blockers THEN 'blocked' END,
            u.input, coalesce(u.priority, 0), coalesce(u.on_blocker_failure, 'wait'),
            v_now, coalesce(u.at, v_now + u.after_ms * interval '1 ms', v_now), u.trace_context,
            u.queue, u.start_cost
          FROM unnest(
            p_ids, p_continued_to_ids, p_type_names, p_inputs, p_at, p_after_ms, p_priorities,
            p_awaits_blockers, p_on_blocker_failures, p_trace_contexts, p_queues, p_start_costs,
            p_positions)
          WITH ORDINALITY AS u (
            id, next_id, type_name, input, at, after_ms, priority,
            awaits_blockers, on_blocker_failure, trace_context, queue, start_cost, position, element)
          {probe p u.id}
          WHERE u.type_name IS NOT NULL AND u.element = ANY(v_elements)
          ORDER BY u.element
          RETURNING j.id, j.type_name, j.queue, j.priority, j.scheduled_at, j.ordinal, j.status,
            j.created_at
        ), made_ready AS (
          INSERT INTO {schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
          SELECT c.id, coalesce(c.queue, c.type_name), c.priority, c.scheduled_at, c.ordinal, c.scheduled_at <= v_now
          FROM created c WHERE c.status = 'open'
        )
        SELECT 'created', NULL::integer, NULL::text, c.id, NULL::text, NULL::{id}, NULL::text,
          NULL::{id}, NULL::{id}, c.ordinal,
          (date_part('epoch', c.created_at) * 1000000)::bigint,
          (date_part('epoch', c.scheduled_at) * 1000000)::bigint, NULL::bigint, NULL::boolean
        FROM created c;
      END IF;

      -- The count of incomplete blockers is in the row of the waiting job. Two blockers that end at
      -- once therefore wait for each other on that row, and the second finds 1.
      IF v_awaited_ids IS NOT NULL THEN
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
            FROM {schema}.job_blocker b
            WHERE b.blocker_sequence_id = ANY(v_awaited_ids)
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
        SELECT 'unblocked', NULL::integer, r.last_id, r.id, r.type_name, r.sequence_id,
          r.sequence_type_name, r.root_sequence_id, r.origin_id, NULL::bigint, NULL::bigint,
          NULL::bigint, NULL::bigint, NULL::boolean
        FROM released r
        WHERE r.status = 'open' AND r.incomplete_blockers = 0 AND r.released_at = v_now;
      END IF;
      EXIT;
    EXCEPTION WHEN SQLSTATE 'QU001' THEN v_locks_first := true; -- Locks and writes are undone.
    END;
  END LOOP;

  kind := 'lost';
  IF cardinality(v_elements) < cardinality(p_ids) THEN
    IF p_commits THEN
      SELECT json_agg(l) INTO v_lost
      FROM {schema}.lost_jobs(p_ids, p_lease_versions, p_worker_id, v_elements) l;
      RAISE EXCEPTION 'Not committed: a completed job is no longer held.'
        USING ERRCODE = 'QU002', DETAIL = v_lost;
    END IF;
    FOR element, detail, is_stored_by_this_lease IN
      SELECT l.element, l.reason, l.is_stored_by_this_lease
      FROM {schema}.lost_jobs(p_ids, p_lease_versions, p_worker_id, v_elements) l
    LOOP
      RETURN NEXT;
    END LOOP;
  END IF;
  kind := 'summary';
  element := NULL;
  detail := NULL;
  is_stored_by_this_lease := NULL;
  finished_at_us := date_part('epoch', v_now) * 1000000;
  RETURN NEXT;
END
$routine$`,
};

/**
 * Called by `complete_jobs` for jobs whose rows it has locked: ends that they are pending or running. Returns for each element the
 * lease version that ends, or NULL if the job is not running.
 */
export const endWithoutWorker: Routine = {
  name: "end_without_worker",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.end_without_worker(p_ids {id}[]) RETURNS integer[]
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_pending_ids {id}[] := {schema}.take_ready(p_ids);
BEGIN
  RETURN ARRAY(
    SELECT CASE WHEN j.status = 'open' AND j.id NOT IN (SELECT p.id FROM unnest(v_pending_ids) AS p (id))
      THEN j.lease_version + 1 END
    FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
    LEFT JOIN {schema}.job j ON j.id = u.id ORDER BY u.element);
END
$routine$`,
};
