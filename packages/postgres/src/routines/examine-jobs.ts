import type { Routine } from "./routine.ts";

// A search looks at a bounded number of jobs: a range of "job_ordinal" that ends at the last job to look at. Open, blocked and
// failed jobs are few beside completed ones. If those that can match by their status are few enough, only they are looked at.
//
// `p_where` is made of fixed texts by `operator/conditions.ts`. Each value is an element of `p_values`, and never a part of the
// text. The function has the rights of its caller.

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
  v_few bigint[];
  v_range text;
  v_last bigint;
  v_page bigint[];
  v_end bigint;
  v_count bigint;
BEGIN
  IF p_statuses IS NOT NULL AND NOT 'completed' = ANY(p_statuses) THEN
    v_few := ARRAY(SELECT s.ordinal FROM (
      SELECT j.ordinal FROM {schema}.job j WHERE j.set_aside = ANY(p_statuses)
      UNION ALL
      SELECT r.ordinal FROM {schema}.ready r WHERE 'pending' = ANY(p_statuses)
      UNION ALL
      SELECT j.ordinal FROM {schema}.lease l
      CROSS JOIN LATERAL unnest(l.job_ids) AS u (id)
      JOIN {schema}.job j ON j.id = u.id
      WHERE 'running' = ANY(p_statuses)) s LIMIT p_examine_max + 1);
    IF cardinality(v_few) > p_examine_max THEN v_few := NULL; END IF;
  END IF;
  v_range := concat_ws(' AND ', 'true',
    CASE WHEN v_few IS NOT NULL THEN 'j.ordinal = ANY($1)' END,
    CASE WHEN p_after_ordinal IS NOT NULL
      THEN CASE p_order WHEN 'desc' THEN 'j.ordinal < $2' ELSE 'j.ordinal > $2' END END,
    CASE WHEN p_ordinal_max IS NOT NULL THEN 'j.ordinal <= $3' END);
  -- NULL: fewer jobs are left.
  EXECUTE $query$SELECT j.ordinal FROM {schema}.job j WHERE $query$ || v_range || ' ORDER BY j.ordinal '
      || v_direction || ' OFFSET $4 - 1 LIMIT 1'
    INTO v_last USING v_few, p_after_ordinal, p_ordinal_max, p_examine_max;
  IF v_last IS NOT NULL THEN v_range := v_range || ' AND j.ordinal ' || v_until || ' $5'; END IF;
  EXECUTE $query$SELECT ARRAY(SELECT j.ordinal FROM (SELECT * FROM {schema}.job j WHERE $query$ || v_range
      || $query$) j {lease j} WHERE $query$ || p_where
      || ' ORDER BY j.ordinal ' || v_direction || ' LIMIT $6)'
    INTO v_page
    USING v_few, p_after_ordinal, p_ordinal_max, p_examine_max, v_last, p_limit, p_values, v_now;
  v_end := CASE WHEN cardinality(v_page) = p_limit THEN v_page[p_limit] ELSE v_last END;
  RETURN QUERY SELECT j, j_lease.leased_by, j_lease.leased_until, j_lease.acquired_at,
    NULL::bigint, NULL::bigint
  FROM unnest(v_page) WITH ORDINALITY AS u (ordinal, place)
  JOIN {schema}.job j ON j.ordinal = u.ordinal {lease j}
  ORDER BY u.place;
  IF v_end IS NOT NULL THEN v_range := v_range || ' AND j.ordinal ' || v_until || ' $6'; END IF;
  EXECUTE $query$SELECT count(*) FROM {schema}.job j WHERE $query$ || v_range
    INTO v_count USING v_few, p_after_ordinal, p_ordinal_max, p_examine_max, v_last, v_end;
  RETURN QUERY SELECT NULL::{schema}.job, NULL::text, NULL::timestamptz, NULL::timestamptz,
    v_count, v_end;
END
$routine$`,
};
