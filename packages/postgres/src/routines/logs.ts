import type { Routine } from "./routine.ts";

/**
 * Stores lines and progress of attempts, and removes those that are not kept. Returns the number of chunks that were stored.
 * Progress comes first, as in `delete_jobs`. A row of lines that is locked is being removed: no statement waits for it.
 */
export const appendLogs: Routine = {
  name: "append_logs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.append_logs(
  p_chunks text, p_gaps text, p_progress text, p_forget text, p_kept_ms float8, p_attempts_kept integer)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_oldest timestamptz := v_now - p_kept_ms * interval '1 ms';
  v_count bigint;
BEGIN
  INSERT INTO {schema}.job_progress AS p (job_id, lease_version, stored_at, fraction, note)
  SELECT j.id, n."leaseVersion", v_now, n.fraction, n.note
  FROM json_to_recordset(p_progress::json) AS n (
    "jobId" {id}, "leaseVersion" integer, fraction float8, note text)
  JOIN {schema}.job j ON j.id = n."jobId"
  -- Each client locks in this order.
  ORDER BY j.id
  ON CONFLICT (job_id) DO UPDATE SET
    lease_version = excluded.lease_version, stored_at = excluded.stored_at,
    fraction = excluded.fraction, note = excluded.note
  WHERE p.lease_version <= excluded.lease_version;
  DELETE FROM {schema}.job_progress p WHERE p.ctid = ANY(ARRAY(
    SELECT o.ctid FROM json_to_recordset(p_forget::json) AS f ("jobId" {id}, "leaseVersion" integer)
    JOIN {schema}.job_progress o ON o.job_id = f."jobId" AND o.lease_version = f."leaseVersion"
    ORDER BY o.job_id FOR UPDATE OF o));
  DELETE FROM {schema}.job_progress p WHERE p.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.job_progress o WHERE o.stored_at < v_oldest
    FOR UPDATE SKIP LOCKED));

  INSERT INTO {schema}.job_log (job_id, lease_version, first_line, attempt, stored_at, lines)
  SELECT j.id, c."leaseVersion", c."firstLine", c.attempt, v_now, c.lines
  FROM json_to_recordset(p_chunks::json) AS c (
    "jobId" {id}, "leaseVersion" integer, "firstLine" integer, attempt integer, lines text)
  JOIN {schema}.job j ON j.id = c."jobId"
  ORDER BY j.id, c."leaseVersion", c."firstLine"
  ON CONFLICT (job_id, lease_version, first_line) DO NOTHING;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM {schema}.job_log l WHERE l.ctid = ANY(ARRAY(
    SELECT o.ctid FROM json_to_recordset(p_gaps::json) AS g (
      "jobId" {id}, "leaseVersion" integer, "from" integer, before integer)
    JOIN {schema}.job_log o ON o.job_id = g."jobId" AND o.lease_version = g."leaseVersion"
      AND o.first_line >= g."from" AND o.first_line < g.before
    FOR UPDATE OF o SKIP LOCKED));
  DELETE FROM {schema}.job_log l WHERE l.ctid = ANY(ARRAY(
    SELECT o.ctid
    FROM (
      SELECT DISTINCT c."jobId" AS id
      FROM json_to_recordset(p_chunks::json) AS c ("jobId" {id})) u
    CROSS JOIN LATERAL (
      SELECT v.lease_version FROM {schema}.job_log v WHERE v.job_id = u.id
      GROUP BY v.lease_version ORDER BY v.lease_version DESC
      OFFSET p_attempts_kept LIMIT 1) last
    JOIN {schema}.job_log o ON o.job_id = u.id AND o.lease_version <= last.lease_version
    FOR UPDATE OF o SKIP LOCKED));
  DELETE FROM {schema}.job_log l WHERE l.ctid = ANY(ARRAY(
    SELECT o.ctid FROM json_to_recordset(p_forget::json) AS f ("jobId" {id}, "leaseVersion" integer)
    JOIN {schema}.job_log o ON o.job_id = f."jobId" AND o.lease_version = f."leaseVersion"
    FOR UPDATE OF o SKIP LOCKED));
  DELETE FROM {schema}.job_log l WHERE l.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.job_log o WHERE o.stored_at < v_oldest
    FOR UPDATE SKIP LOCKED));
  RETURN v_count;
END
$routine$`,
};

/** The lines that a job's attempts have logged: by attempt, the oldest first, and then by line. */
export const listLogs: Routine = {
  name: "list_logs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_logs(
  p_job_id {id}, p_after_lease_version integer, p_after_line integer)
RETURNS TABLE (lease_version integer, attempt integer, first_line integer, lines text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT l.lease_version, l.attempt, l.first_line, l.lines
  FROM {schema}.job_log l
  WHERE l.job_id = p_job_id
    AND (l.lease_version, l.first_line) > (p_after_lease_version, p_after_line)
  ORDER BY l.lease_version, l.first_line;
END
$routine$`,
};

/** The last progress of jobs. */
export const listProgress: Routine = {
  name: "list_progress",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_progress(p_ids {id}[])
RETURNS TABLE (
  element integer, lease_version integer, fraction float8, note text, stored_at_us bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT u.element::integer, p.lease_version, p.fraction, p.note,
    (date_part('epoch', p.stored_at) * 1000000)::bigint
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN {schema}.job_progress p ON p.job_id = u.id;
END
$routine$`,
};
