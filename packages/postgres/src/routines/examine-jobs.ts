import type { Routine } from "./routine.ts";

// A search looks at a bounded number of jobs: a range of "job_ordinal" that ends at the last job to look at. Open, blocked and
// failed jobs are few beside the others. If those that can match by their status are few enough, only they are looked at, and
// each is read once, from its own index. Jobs of the page are read again by their place in the table.
//
// `p_where` is made of fixed texts by `operator/conditions.ts`. Each value is an element of `p_values`, and never a part of the
// text. The functions have the rights of their caller.

/** The ordinals of the jobs with these statuses; NULL if they are not few. */
export const fewOrdinals: Routine = {
  name: "few_ordinals",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.few_ordinals(p_statuses text[], p_max integer)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_few bigint[];
BEGIN
  -- The finished ones have no index of their own.
  IF p_statuses IS NULL OR p_statuses && ARRAY['completed', 'cancelled'] THEN RETURN NULL; END IF;
  v_few := ARRAY(SELECT s.ordinal FROM (
    SELECT j.ordinal FROM {schema}.job j WHERE j.set_aside = ANY(p_statuses)
    UNION ALL
    SELECT r.ordinal FROM {schema}.ready r WHERE 'pending' = ANY(p_statuses)
    UNION ALL
    SELECT j.ordinal FROM {schema}.lease l
    -- A row whose attempts have ended may stay for a while: its jobs can be in a later row, too.
    CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    {probe j u.id}
    WHERE 'running' = ANY(p_statuses) AND j.status = 'open' AND j.lease_version = u.version - 1) s LIMIT p_max + 1);
  RETURN CASE WHEN cardinality(v_few) <= p_max THEN v_few END;
END
$routine$`,
};

/**
 * The first and the last of some ordinals, if at least a fourth of the ordinals between them are given; else NULL. To walk over
 * such a range reads each page of the table once. To look up each ordinal reads several pages for each.
 */
export const denseBounds: Routine = {
  name: "dense_bounds",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.dense_bounds(p_ordinals bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE
{settings}
AS $routine$
  SELECT CASE WHEN max(o.ordinal) - min(o.ordinal) < 4 * count(*)
    THEN ARRAY[min(o.ordinal), max(o.ordinal)] END
  FROM unnest(p_ordinals) AS o (ordinal)
$routine$`,
};

/** The jobs that match, and a last row without a job that says how far the search looked. */
export const examineJobs: Routine = {
  name: "examine_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.examine_jobs(
  p_where text, p_values text[], p_statuses text[], p_order text, p_after_ordinal bigint,
  p_ordinal_max bigint, p_limit integer, p_examine_max integer)
RETURNS TABLE (
  job {schema}.job, leased_by text, leased_until timestamptz, acquired_at timestamptz,
  examined bigint, last_ordinal bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_direction text := CASE p_order WHEN 'desc' THEN 'DESC' ELSE 'ASC' END;
  v_until text := CASE p_order WHEN 'desc' THEN '>=' ELSE '<=' END;
  v_few bigint[] := {schema}.few_ordinals(p_statuses, p_examine_max);
  -- Most conditions are about the row alone. A lease costs a pending job a probe of "ready".
  v_leases text := CASE WHEN p_where LIKE '%j_lease.%' THEN $query$ {lease j}$query$ ELSE '' END;
  v_bounds bigint[] := {schema}.dense_bounds(v_few);
  v_range text;
  v_probes text;
  -- NULL: all of them.
  v_probed bigint;
  v_tries text[];
  v_jobs text;
  v_last bigint;
  v_page bigint[];
  v_places tid[];
  v_end bigint;
  v_count bigint;
BEGIN
  v_range := concat_ws(' AND ', 'true',
    CASE WHEN p_after_ordinal IS NOT NULL
      THEN CASE p_order WHEN 'desc' THEN 'j.ordinal < $2' ELSE 'j.ordinal > $2' END END,
    CASE WHEN p_ordinal_max IS NOT NULL THEN 'j.ordinal <= $3' END);
  -- In the order of the page: the search ends with its last job.
  v_probes := $query$SELECT j.*, j.ctid AS place FROM (
      SELECT j.ordinal FROM unnest($1) AS j (ordinal) WHERE $query$ || v_range
    || ' ORDER BY j.ordinal ' || v_direction
    || $query$ LIMIT $11) u JOIN {schema}.job j ON j.ordinal = u.ordinal$query$;
  IF v_few IS NULL THEN
    -- NULL: fewer jobs are left.
    EXECUTE $query$SELECT j.ordinal FROM {schema}.job j WHERE $query$ || v_range || ' ORDER BY j.ordinal '
        || v_direction || ' OFFSET $4 - 1 LIMIT 1'
      INTO v_last USING NULL, p_after_ordinal, p_ordinal_max, p_examine_max;
    IF v_last IS NOT NULL THEN v_range := v_range || ' AND j.ordinal ' || v_until || ' $5'; END IF;
    v_tries := ARRAY[$query$SELECT j.*, j.ctid AS place FROM {schema}.job j WHERE $query$ || v_range];
  ELSIF p_statuses <@ ARRAY['blocked', 'failed'] THEN
    -- With OFFSET the planner cannot walk over all jobs in the order of the page instead.
    v_tries := ARRAY[$query$SELECT j.*, j.ctid AS place FROM {schema}.job j
      WHERE j.set_aside = ANY($9) OFFSET 0$query$];
    -- A probe reads four times as many pages as that does for each job. If the page is soon full, few probes are enough.
    v_probed := 4 * p_limit;
    IF cardinality(v_few) > 4 * v_probed THEN v_tries := v_probes || v_tries; END IF;
  ELSIF v_bounds IS NOT NULL THEN
    v_tries := ARRAY[$query$SELECT j.*, j.ctid AS place FROM {schema}.job j
      WHERE j.ordinal BETWEEN $10[1] AND $10[2] AND $query$ || v_range];
  ELSE
    v_tries := ARRAY[v_probes];
  END IF;
  FOREACH v_jobs IN ARRAY v_tries LOOP
    EXECUTE 'SELECT array_agg(p.ordinal ORDER BY p.ordinal ' || v_direction
        || '), array_agg(p.place ORDER BY p.ordinal ' || v_direction
        || ') FROM (SELECT j.ordinal, j.place FROM (' || v_jobs || ') j' || v_leases || ' WHERE '
        || v_range || ' AND ' || p_where || ' ORDER BY j.ordinal ' || v_direction || ' LIMIT $6) p'
      INTO v_page, v_places
      USING v_few, p_after_ordinal, p_ordinal_max, p_examine_max, v_last, p_limit, p_values, v_now,
        p_statuses, v_bounds, v_probed;
    EXIT WHEN cardinality(v_page) = p_limit;
  END LOOP;
  v_end := CASE WHEN cardinality(v_page) = p_limit THEN v_page[p_limit] ELSE v_last END;
  -- Planned for each call: a plan that was made while the table was small would read it whole.
  RETURN QUERY EXECUTE $query$SELECT j, j_lease.leased_by, j_lease.leased_until, j_lease.acquired_at,
    NULL::bigint, NULL::bigint
  FROM unnest($1) WITH ORDINALITY AS u (place, number)
  JOIN {schema}.job j ON j.ctid = u.place {lease j}
  ORDER BY u.number$query$ USING v_places;
  IF v_few IS NOT NULL THEN
    EXECUTE 'SELECT count(*) FROM unnest($1) AS j (ordinal) WHERE ' || v_range
        || CASE WHEN v_end IS NULL THEN '' ELSE ' AND j.ordinal ' || v_until || ' $4' END
      INTO v_count USING v_few, p_after_ordinal, p_ordinal_max, v_end;
  ELSIF v_end = v_last THEN
    v_count := p_examine_max;
  ELSE
    IF v_end IS NOT NULL THEN v_range := v_range || ' AND j.ordinal ' || v_until || ' $6'; END IF;
    EXECUTE $query$SELECT count(*) FROM {schema}.job j WHERE $query$ || v_range
      INTO v_count USING NULL, p_after_ordinal, p_ordinal_max, NULL, v_last, v_end;
  END IF;
  RETURN QUERY SELECT NULL::{schema}.job, NULL::text, NULL::timestamptz, NULL::timestamptz,
    v_count, v_end;
END
$routine$`,
};

/** How many jobs match, from the newest ones. */
export const countJobs: Routine = {
  name: "count_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.count_jobs(
  p_where text, p_values text[], p_statuses text[], p_max integer, p_examine_max integer)
RETURNS TABLE (count bigint, is_at_least boolean)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_few bigint[] := {schema}.few_ordinals(p_statuses, p_examine_max);
  v_last bigint;
  v_is_cut boolean := false;
  v_leases text := CASE WHEN p_where LIKE '%j_lease.%' THEN $query$ {lease j}$query$ ELSE '' END;
  v_bounds bigint[] := {schema}.dense_bounds(v_few);
  v_jobs text;
  v_count bigint;
BEGIN
  IF v_few IS NULL THEN
    -- The last job to look at, if there is another one behind it.
    SELECT max(l.ordinal), count(*) > 1 INTO v_last, v_is_cut FROM (
      SELECT j.ordinal FROM {schema}.job j
      ORDER BY j.ordinal DESC OFFSET p_examine_max - 1 LIMIT 2) l;
    v_jobs := $query$ {schema}.job j$query$
      || CASE WHEN v_last IS NULL THEN '' ELSE ' WHERE j.ordinal >= $2' END;
  ELSIF p_statuses <@ ARRAY['blocked', 'failed'] THEN
    v_jobs := $query$ {schema}.job j WHERE j.set_aside = ANY($9)$query$;
  ELSIF v_bounds IS NOT NULL THEN
    v_jobs := $query$ {schema}.job j WHERE j.ordinal BETWEEN $10[1] AND $10[2]$query$;
  ELSE
    v_jobs := $query$ {schema}.job j WHERE j.ordinal = ANY($1)$query$;
  END IF;
  EXECUTE 'SELECT count(*) FROM (SELECT FROM (SELECT * FROM ' || v_jobs
      || ') j' || v_leases || ' WHERE ' || p_where || ' LIMIT $6) m'
    INTO v_count
    USING v_few, v_last, NULL, NULL, NULL, p_max + 1, p_values, v_now, p_statuses, v_bounds;
  RETURN QUERY SELECT least(v_count, p_max), v_is_cut OR v_count > p_max;
END
$routine$`,
};
