import type { Routine } from "./routine.ts";

// Rows that an open transaction may still see are kept, and each acquisition steps over them. So the age of transactions is the
// first thing to look at. All of it is read from the views of statistics.

/** A row for each finding: its kind, the name of the thing, a detail, an age and a count. */
export const checkHealth: Routine = {
  name: "check_health",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.check_health(p_long_ms float8, p_schema text, p_is_thorough boolean)
RETURNS TABLE (kind text, name text, detail text, age_ms float8, count bigint)
LANGUAGE plpgsql STABLE
SET search_path = {path}
SET row_security = off
AS $routine$
#variable_conflict use_column
DECLARE
  v_before timestamptz := clock_timestamp() - p_long_ms * interval '1 millisecond';
BEGIN
  RETURN QUERY
  SELECT 'transaction', a.application_name, format('pid %s, %s', a.pid, a.state),
    (date_part('epoch', clock_timestamp() - a.xact_start) * 1000)::float8, NULL::bigint
  FROM pg_stat_activity a
  WHERE a.xact_start < v_before AND a.pid <> pg_backend_pid()
    AND a.backend_type = 'client backend' AND a.datname = current_database()
  ORDER BY a.xact_start LIMIT 5;
  RETURN QUERY
  SELECT 'prepared', x.gid, NULL,
    (date_part('epoch', clock_timestamp() - x.prepared) * 1000)::float8, NULL::bigint
  FROM pg_prepared_xacts x WHERE x.prepared < v_before ORDER BY x.prepared LIMIT 5;
  RETURN QUERY
  SELECT 'slot', s.slot_name::text, NULL, NULL::float8, NULL::bigint FROM pg_replication_slots s
  WHERE NOT s.active AND (s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL) LIMIT 5;
  RETURN QUERY
  SELECT 'index', i.indexrelid::regclass::text, NULL, NULL::float8, NULL::bigint
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = p_schema AND NOT i.indisvalid;
  RETURN QUERY
  SELECT 'vacuum', s.name, s.setting, NULL::float8, NULL::bigint FROM pg_settings s
  WHERE s.name IN ('autovacuum', 'track_counts') AND s.setting = 'off';
  RETURN QUERY
  SELECT 'dead', t.relname::text, NULL, NULL::float8, t.n_dead_tup FROM pg_stat_all_tables t
  WHERE t.schemaname = p_schema AND t.n_dead_tup > 100000 AND t.n_dead_tup > 5 * t.n_live_tup;
  -- Without the right to see them, the sessions of other users have no start.
  RETURN QUERY
  SELECT 'hidden', NULL, NULL, NULL::float8, count(*) FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.query = '<insufficient privilege>'
  HAVING count(*) > 0;
  IF NOT p_is_thorough THEN RETURN; END IF;
  RETURN QUERY
  SELECT 'no_blocker', NULL, NULL, NULL::float8, count(*) FROM (
    SELECT FROM {schema}.job j JOIN {schema}.job_blocker b ON b.job_id = j.id
    WHERE j.set_aside = 'blocked'
      AND NOT EXISTS (SELECT FROM {schema}.job f WHERE f.id = b.blocker_sequence_id)
    LIMIT 10000) o HAVING count(*) > 0;
  RETURN QUERY
  SELECT 'no_job', NULL, NULL, NULL::float8, count(*) FROM (
    SELECT FROM {schema}.ready r
    WHERE NOT EXISTS (SELECT FROM {schema}.job j WHERE j.ordinal = r.ordinal AND j.status = 'open')
    LIMIT 10000) o HAVING count(*) > 0;
END
$routine$`,
};
