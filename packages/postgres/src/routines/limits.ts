import type { Routine } from "./routine.ts";

// A permit is an entry of "lease" that holds its job, until the lease expires. It is counted, never stored: a crash can
// neither keep one nor give one back twice. A renewal may be moving an expired row at this moment. It has locked the row then,
// so a row that cannot be locked still counts. A renewal that begins later finds the lease expired, and refuses it.

/**
 * Called by `acquire_jobs`: for each of these types under a limit, how many jobs may start, and when to look again. Locks the
 * limits in the order of their names, so acquisitions of a limited type take turns.
 */
export const limitRooms: Routine = {
  name: "limit_rooms",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.limit_rooms(p_types text[])
RETURNS TABLE (
  type_name text, room bigint, look_at timestamptz, permits bigint, tokens bigint, burst integer)
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
#variable_conflict use_column
DECLARE
  v_limits {schema}.job_limit[];
  v_limit {schema}.job_limit;
  v_now timestamptz;
  v_now_us bigint;
  v_expired tid[];
  v_permits bigint;
  v_tokens bigint;
  v_interval bigint;
  v_back bigint;
BEGIN
  BEGIN
    v_limits := ARRAY(
      SELECT l FROM {schema}.job_limit l
      WHERE l.name = ANY(p_types) AND l.is_bounded
      ORDER BY l.name FOR NO KEY UPDATE);
  EXCEPTION WHEN lock_not_available THEN
    -- Other acquisitions have held the lock for long. The worker is back in a moment.
    RETURN QUERY SELECT l.name, 0::bigint, clock_timestamp() + interval '50 ms', 0::bigint, 0::bigint, 1
    FROM {schema}.job_limit l WHERE l.name = ANY(p_types) AND l.is_bounded;
    RETURN;
  END;
  FOREACH v_limit IN ARRAY v_limits LOOP
    v_now := clock_timestamp();
    v_now_us := date_part('epoch', v_now) * 1000000;
    v_permits := NULL;
    v_tokens := NULL;
    look_at := v_now + interval '1 s';
    IF v_limit.concurrency IS NOT NULL THEN
      v_expired := ARRAY(
        SELECT l.ctid FROM {schema}.lease l
        WHERE (l.type_name = v_limit.name OR l.type_name < chr(2) AND ({unescaped split_part(l.type_name, chr(1), 2)} = v_limit.name
            OR {type of l.type_name} = v_limit.name)) AND l.leased_until <= v_now FOR UPDATE SKIP LOCKED);
      v_permits := greatest(0, v_limit.concurrency - (
        SELECT count(*) FROM {schema}.lease l
        CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
        {probe j u.id}
        WHERE (l.type_name = v_limit.name OR l.type_name < chr(2) AND ({unescaped split_part(l.type_name, chr(1), 2)} = v_limit.name
            OR {type of l.type_name} = v_limit.name)) AND NOT l.ctid = ANY(v_expired)
          AND j.status = 'open' AND j.lease_version = u.version - 1));
    END IF;
    IF v_limit.rate_count IS NOT NULL THEN
      v_interval := ceil(v_limit.rate_per_ms * 1000 / v_limit.rate_count);
      v_back := greatest(v_now_us, least(
        coalesce(v_limit.back_at_us, v_now_us), v_now_us + v_limit.rate_burst * v_interval));
      v_tokens := v_limit.rate_burst - ceil((v_back - v_now_us)::float8 / v_interval);
      IF v_tokens < v_permits OR v_permits IS NULL THEN
        look_at := timestamptz 'epoch'
          + (v_back + (v_tokens - v_limit.rate_burst + 1) * v_interval) * interval '1 us';
      END IF;
    END IF;
    type_name := v_limit.name;
    room := greatest(0, least(v_permits, v_tokens));
    permits := v_permits;
    tokens := v_tokens;
    burst := v_limit.rate_burst;
    RETURN NEXT;
  END LOOP;
END
$routine$`,
};

/** Called by `acquire_jobs`: takes the tokens of jobs that have started. */
export const spendTokens: Routine = {
  name: "spend_tokens",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.spend_tokens(p_types text[], p_starts integer[], p_now timestamptz)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now_us bigint := date_part('epoch', p_now) * 1000000;
  v_count integer;
BEGIN
  UPDATE {schema}.job_limit l
  SET back_at_us = greatest(v_now_us, least(coalesce(l.back_at_us, v_now_us), v_now_us
      + l.rate_burst * ceil(l.rate_per_ms * 1000 / l.rate_count)::bigint))
    + u.starts * ceil(l.rate_per_ms * 1000 / l.rate_count)::bigint
  FROM unnest(p_types, p_starts) AS u (name, starts)
  WHERE l.name = u.name AND u.starts > 0 AND l.rate_count IS NOT NULL;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$routine$`,
};

/** Stores limits, in the order of their names. A row for each element: whether it was written. */
export const setLimits: Routine = {
  name: "set_limits",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.set_limits(
  p_names text[], p_concurrency integer[], p_rate_counts integer[], p_rate_per_ms float8[],
  p_rate_bursts integer[], p_key_concurrency integer[], p_key_rate_counts integer[],
  p_key_rate_per_ms float8[], p_key_rate_bursts integer[], p_aging_ms float8[], p_hashes text[],
  p_revisions bigint[])
RETURNS TABLE (element integer, is_written boolean)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_element integer;
BEGIN
  FOR v_element IN
    SELECT u.element FROM unnest(p_names) WITH ORDINALITY AS u (name, element)
    ORDER BY u.name COLLATE "C", u.element
  LOOP
    INSERT INTO {schema}.job_limit AS l (
      name, is_bounded, concurrency, rate_count, rate_per_ms, rate_burst, key_concurrency,
      key_rate_count, key_rate_per_ms, key_rate_burst, aging_ms, declared_hash, revision, updated_at)
    VALUES (
      p_names[v_element],
      p_concurrency[v_element] IS NOT NULL OR p_rate_counts[v_element] IS NOT NULL,
      p_concurrency[v_element], p_rate_counts[v_element], p_rate_per_ms[v_element],
      p_rate_bursts[v_element], p_key_concurrency[v_element], p_key_rate_counts[v_element],
      p_key_rate_per_ms[v_element], p_key_rate_bursts[v_element], p_aging_ms[v_element],
      p_hashes[v_element], p_revisions[v_element], clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET
      is_bounded = excluded.is_bounded, concurrency = excluded.concurrency,
      rate_count = excluded.rate_count, rate_per_ms = excluded.rate_per_ms,
      rate_burst = excluded.rate_burst, key_concurrency = excluded.key_concurrency,
      key_rate_count = excluded.key_rate_count, key_rate_per_ms = excluded.key_rate_per_ms,
      key_rate_burst = excluded.key_rate_burst, aging_ms = excluded.aging_ms,
      updated_at = clock_timestamp(),
      declared_hash = coalesce(excluded.declared_hash, l.declared_hash),
      revision = coalesce(excluded.revision, l.revision)
    WHERE excluded.declared_hash IS NULL OR l.declared_hash IS NULL
      OR (excluded.declared_hash <> l.declared_hash AND excluded.revision >= l.revision);
    element := v_element;
    is_written := FOUND;
    IF is_written THEN
      PERFORM {schema}.leave_turns_under(chr(1) || {escaped p_names[v_element]} || chr(1));
    END IF;
    RETURN NEXT;
  END LOOP;
END
$routine$`,
};

/** The limits by name, all or these, each with the jobs that hold an unexpired lease. */
export const getLimits: Routine = {
  name: "get_limits",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_limits(p_names text[])
RETURNS TABLE (
  name text, concurrency integer, rate_count integer, rate_per_ms float8, rate_burst integer,
  key_concurrency integer, key_rate_count integer, key_rate_per_ms float8, key_rate_burst integer,
  aging_ms float8, back_at_us bigint, declared_hash text, revision bigint, updated_at_us bigint, now_us bigint,
  running bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY SELECT l.name, l.concurrency, l.rate_count, l.rate_per_ms, l.rate_burst,
    l.key_concurrency, l.key_rate_count, l.key_rate_per_ms, l.key_rate_burst, l.aging_ms, l.back_at_us,
    l.declared_hash, l.revision, (date_part('epoch', l.updated_at) * 1000000)::bigint,
    (date_part('epoch', v_now) * 1000000)::bigint, (
      SELECT count(*) FROM {schema}.lease e
      CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
      {probe j u.id}
      WHERE (e.type_name = l.name OR e.type_name < chr(2) AND ({unescaped split_part(e.type_name, chr(1), 2)} = l.name
            OR {type of e.type_name} = l.name))
        AND e.leased_until > v_now
        AND j.status = 'open' AND j.lease_version = u.version - 1)
  FROM {schema}.job_limit l
  WHERE p_names IS NULL OR l.name = ANY(p_names)
  ORDER BY l.name;
END
$routine$`,
};
