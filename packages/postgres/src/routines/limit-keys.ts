import type { Routine } from "./routine.ts";

// The same arithmetic as in `limits.ts`. A key is changed beside acquisitions, which only write when its tokens are back.

/** Changes keys of limits, in the order of their ids. A row for each element: whether it was paused before. */
export const setLimitKeys: Routine = {
  name: "set_limit_keys",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.set_limit_keys(
  p_limit_names text[], p_keys text[], p_sets_bounds boolean[], p_concurrency integer[],
  p_rate_counts integer[], p_rate_per_ms float8[], p_rate_bursts integer[], p_weights integer[],
  p_sets_pause boolean[], p_pause_ms float8[], p_pauses boolean[], p_extends boolean[],
  p_notes text[])
RETURNS TABLE (element integer, was_paused boolean)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_row record;
  v_now timestamptz;
  v_stored {schema}.limit_key;
  v_until timestamptz;
BEGIN
  FOR v_row IN
    SELECT s.* FROM (
      SELECT u.element::integer,
        chr(1) || {escaped u.limit_name} || chr(1) || {escaped u.key} || chr(1) AS id
      FROM unnest(p_limit_names, p_keys) WITH ORDINALITY AS u (limit_name, key, element)) s
    ORDER BY s.id COLLATE "C", s.element
  LOOP
    element := v_row.element;
    INSERT INTO {schema}.limit_key (id, limit_name, key)
    VALUES (v_row.id, p_limit_names[element], p_keys[element])
    ON CONFLICT (id) DO NOTHING;
    SELECT k.* INTO v_stored FROM {schema}.limit_key k WHERE k.id = v_row.id FOR NO KEY UPDATE;
    v_now := clock_timestamp();
    was_paused := coalesce(v_stored.paused_until > v_now, false);
    IF p_sets_bounds[element] THEN
      UPDATE {schema}.limit_key k SET
        concurrency = p_concurrency[element], rate_count = p_rate_counts[element],
        rate_per_ms = p_rate_per_ms[element], rate_burst = p_rate_bursts[element],
        weight = p_weights[element]
      WHERE k.id = v_row.id;
    END IF;
    IF p_sets_pause[element] THEN
      v_until := CASE WHEN p_pauses[element]
        THEN coalesce(v_now + p_pause_ms[element] * interval '1 ms', 'infinity') END;
      UPDATE {schema}.limit_key k SET paused_until = v_until, pause_note = p_notes[element]
      WHERE k.id = v_row.id
        AND NOT (p_extends[element] IS TRUE AND was_paused AND v_stored.paused_until >= v_until);
    END IF;
    PERFORM {schema}.leave_turns_under(v_row.id);
    RETURN NEXT;
  END LOOP;
END
$routine$`,
};

/** Keys of a limit with their use, by key: these, or those with bounds of their own or a pause. */
export const getLimitKeys: Routine = {
  name: "get_limit_keys",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_limit_keys(p_limit_name text, p_keys text[])
RETURNS TABLE (
  key text, weight integer, own_concurrency integer, own_rate_count integer,
  own_rate_per_ms float8, own_rate_burst integer, is_paused boolean, paused_until_us bigint,
  pause_note text, concurrency integer, rate_count integer, rate_per_ms float8,
  rate_burst integer, back_at_us bigint, now_us bigint, running bigint, pending bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH asked AS (
    SELECT DISTINCT n.key, chr(1) || {escaped p_limit_name} || chr(1) || {escaped n.key} || chr(1) AS id
    FROM (
      SELECT k.key FROM {schema}.limit_key k
      WHERE p_keys IS NULL AND k.limit_name = p_limit_name
        AND (k.weight IS NOT NULL OR k.paused_until > v_now)
      UNION ALL
      SELECT u.key FROM unnest(p_keys) AS u (key)) n
  )
  SELECT a.key, k.weight, k.concurrency, k.rate_count, k.rate_per_ms, k.rate_burst,
    coalesce(k.paused_until > v_now, false),
    CASE WHEN k.paused_until < 'infinity'
      THEN (date_part('epoch', k.paused_until) * 1000000)::bigint END,
    k.pause_note, coalesce(k.concurrency, l.key_concurrency),
    coalesce(k.rate_count, l.key_rate_count),
    CASE WHEN k.rate_count IS NULL THEN l.key_rate_per_ms ELSE k.rate_per_ms END,
    CASE WHEN k.rate_count IS NULL THEN l.key_rate_burst ELSE k.rate_burst END,
    k.back_at_us, (date_part('epoch', v_now) * 1000000)::bigint,
    (
      SELECT count(*) FROM {schema}.lease e
      CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
      {probe j u.id}
      WHERE e.type_name < chr(2) AND e.type_name >= a.id AND e.type_name < {end of a.id}
        AND e.leased_until > v_now AND j.status = 'open' AND j.lease_version = u.version - 1),
    (
      SELECT count(*) FROM {schema}.ready r
      WHERE r.type_name >= a.id AND r.type_name < {end of a.id})
  FROM asked a
  LEFT JOIN {schema}.limit_key k ON k.id = a.id
  LEFT JOIN {schema}.job_limit l ON l.name = p_limit_name
  ORDER BY a.key COLLATE "C";
END
$routine$`,
};
