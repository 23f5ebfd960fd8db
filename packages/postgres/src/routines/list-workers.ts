import type { Routine } from "./routine.ts";

/** All workers that are stored, the newest report first. */
export const listWorkers: Routine = {
  name: "list_workers",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_workers()
RETURNS TABLE (
  instance_id text, worker_id text, host text, pid bigint, machine text, process_start text,
  state text, types text, concurrency integer, busy integer, beat_ms float8,
  library_version text, started_at_us bigint, beat_at_us bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT w.instance_id, w.worker_id, w.host, w.pid, w.machine, w.process_start,
    w.state, w.types, w.concurrency, w.busy, w.beat_ms,
    w.library_version,
    (date_part('epoch', w.started_at) * 1000000)::bigint,
    (date_part('epoch', w.beat_at) * 1000000)::bigint
  FROM {schema}.worker w ORDER BY w.beat_at DESC, w.instance_id;
END
$routine$`,
};
