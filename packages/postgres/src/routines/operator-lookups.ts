import type { Routine } from "./routine.ts";

/** The ids of jobs between two ids. */
export const findIds: Routine = {
  name: "find_ids",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.find_ids(p_from {id}, p_to {id}, p_limit integer)
RETURNS TABLE (id text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT j.id::text FROM {schema}.job j
  WHERE j.id >= p_from AND j.id <= p_to LIMIT p_limit;
END
$routine$`,
};

/** The ids of jobs that wait or waited for a sequence, in the order of their index. */
export const listDependants: Routine = {
  name: "list_dependants",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_dependants(
  p_sequence_id {id}, p_after_id {id}, p_limit integer)
RETURNS TABLE (id text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  IF p_after_id IS NULL THEN
    RETURN QUERY SELECT d.job_id::text FROM (
      SELECT DISTINCT b.job_id FROM {schema}.job_blocker b
      WHERE b.blocker_sequence_id = p_sequence_id ORDER BY b.job_id LIMIT p_limit) d;
  ELSE
    RETURN QUERY SELECT d.job_id::text FROM (
      SELECT DISTINCT b.job_id FROM {schema}.job_blocker b
      WHERE b.blocker_sequence_id = p_sequence_id AND b.job_id > p_after_id
      ORDER BY b.job_id LIMIT p_limit) d;
  END IF;
END
$routine$`,
};

// An acquisition deletes the ready row of a job, and skips one that another transaction has locked or deleted. The row has the id
// of that transaction in xmax, and the transaction holds a lock on its own id until it ends.

/** The session whose open transaction has locked the ready row of each pending job. */
export const findLocks: Routine = {
  name: "find_locks",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.find_locks(p_ids {id}[])
RETURNS TABLE (element integer, pid integer, application text, for_ms float8)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY
  SELECT u.element::integer, l.pid, coalesce(a.application_name, ''),
    (date_part('epoch', clock_timestamp() - a.xact_start) * 1000)::float8
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN {schema}.job j ON j.id = u.id
  JOIN {schema}.ready r ON r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
    AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal
  JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = r.xmax
    AND l.pid <> pg_backend_pid()
  LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE r.xmax <> '0'::xid;
END
$routine$`,
};
