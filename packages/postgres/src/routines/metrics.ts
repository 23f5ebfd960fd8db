import type { Routine } from "./routine.ts";

/** Adds counts to the present minute and hour, and removes old ones. Returns the number of rows that were written. */
export const recordMetrics: Routine = {
  name: "record_metrics",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.record_metrics(
  p_entries text, p_minutes_kept_ms float8, p_hours_kept_ms float8)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_count bigint;
BEGIN
  INSERT INTO {schema}.metric AS m (step_s, at, type_name, counts)
  SELECT s.step_s, timestamptz 'epoch'
      + floor(date_part('epoch', v_now) / s.step_s) * s.step_s * interval '1 s',
    e."typeName", e.counts
  FROM unnest(ARRAY[60, 3600]) AS s (step_s)
  CROSS JOIN json_to_recordset(p_entries::json) AS e ("typeName" text, counts jsonb)
  -- Each process locks in this order.
  ORDER BY s.step_s, e."typeName" COLLATE "C"
  ON CONFLICT (step_s, at, type_name) DO UPDATE SET counts = (
    SELECT jsonb_object_agg(k.key, k.sum) FROM (
      SELECT b.key, sum(b.value::bigint) AS sum FROM (
        SELECT o.key, o.value FROM jsonb_each_text(m.counts) o
        UNION ALL
        SELECT n.key, n.value FROM jsonb_each_text(excluded.counts) n) b
      GROUP BY b.key) k);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  -- A row that is locked is being removed.
  DELETE FROM {schema}.metric m WHERE m.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.metric o
    WHERE o.step_s = 60 AND o.at < v_now - p_minutes_kept_ms * interval '1 ms'
    FOR UPDATE SKIP LOCKED));
  DELETE FROM {schema}.metric m WHERE m.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.metric o
    WHERE o.step_s = 3600 AND o.at < v_now - p_hours_kept_ms * interval '1 ms'
    FOR UPDATE SKIP LOCKED));
  RETURN v_count;
END
$routine$`,
};

/** The counts of the minutes or hours that began in a period, the oldest first. */
export const listMetrics: Routine = {
  name: "list_metrics",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_metrics(
  p_step_s integer, p_from timestamptz, p_to timestamptz, p_type_names text[])
RETURNS TABLE (at_us bigint, type_name text, counts text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT (date_part('epoch', m.at) * 1000000)::bigint, m.type_name, m.counts::text
  FROM {schema}.metric m
  WHERE m.step_s = p_step_s AND m.at >= p_from AND m.at < p_to
    AND (p_type_names IS NULL OR m.type_name = ANY(p_type_names))
  ORDER BY m.at, m.type_name;
END
$routine$`,
};
