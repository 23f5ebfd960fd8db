import type { Routine } from "./routine.ts";

/** Stores the reports of a process's workers, removes old ones, and counts the live processes. */
export const beat: Routine = {
  name: "beat",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.beat(
  p_host text, p_pid bigint, p_machine text, p_process_start text, p_workers text,
  p_forget_after_ms float8, p_late_factor float8)
RETURNS TABLE (process_count bigint)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  INSERT INTO {schema}.worker (
    instance_id, worker_id, host, pid, machine, process_start, state, types, concurrency, busy,
    beat_ms, library_version, started_at, beat_at)
  SELECT w."instanceId", w."workerId", p_host, p_pid, p_machine, p_process_start, w.state,
    w.types::text, w.concurrency, w.busy, w."beatMs",
    w."libraryVersion", v_now, v_now
  FROM json_to_recordset(p_workers::json) AS w (
    "instanceId" text, "workerId" text, state text, types json, concurrency integer, busy integer,
    "beatMs" float8, "libraryVersion" text)
  ORDER BY w."instanceId"
  ON CONFLICT (instance_id) DO UPDATE SET
    worker_id = excluded.worker_id, host = excluded.host, pid = excluded.pid,
    machine = excluded.machine, process_start = excluded.process_start, state = excluded.state,
    types = excluded.types, concurrency = excluded.concurrency, busy = excluded.busy,
    beat_ms = excluded.beat_ms, library_version = excluded.library_version,
    beat_at = excluded.beat_at;
  -- A row that is locked is being reported, or removed.
  DELETE FROM {schema}.worker w WHERE w.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.worker o
    WHERE o.beat_at < v_now - p_forget_after_ms * interval '1 ms' FOR UPDATE SKIP LOCKED));
  RETURN QUERY SELECT count(*) FROM (
    SELECT DISTINCT w.host, w.machine, w.pid, w.process_start FROM {schema}.worker w
    WHERE w.state <> 'stopped'
      AND w.beat_at > v_now - w.beat_ms * p_late_factor * interval '1 ms') alive;
END
$routine$`,
};
