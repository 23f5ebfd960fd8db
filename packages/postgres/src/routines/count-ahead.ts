import type { Routine } from "./routine.ts";

// Each part reads at most `p_max` entries of the index "ready_order", so scheduled jobs of a higher priority cost no more.

/** A row for each pending job: the due jobs of its type that come before it. */
export const countAhead: Routine = {
  name: "count_ahead",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.count_ahead(p_ids {id}[], p_max integer)
RETURNS TABLE (element integer, looked bigint, due bigint, earlier bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  SELECT u.element::integer, h.looked, h.due, e.earlier
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN {schema}.job j ON j.id = u.id
  JOIN {schema}.ready r ON r.type_name = coalesce(j.queue, j.type_name) AND r.priority = j.priority
    AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal
  CROSS JOIN LATERAL (
    SELECT count(*) AS looked, count(*) FILTER (WHERE a.scheduled_at <= v_now) AS due FROM (
      SELECT x.scheduled_at FROM {schema}.ready x
      WHERE x.type_name = r.type_name AND x.priority > r.priority
      ORDER BY x.priority DESC, x.scheduled_at, x.ordinal LIMIT p_max + 1) a) h
  CROSS JOIN LATERAL (
    SELECT count(*) AS earlier FROM (
      SELECT FROM {schema}.ready x
      WHERE x.type_name = r.type_name AND x.priority = r.priority
        AND x.scheduled_at <= v_now
        AND (x.scheduled_at, x.ordinal) < (r.scheduled_at, r.ordinal)
      ORDER BY x.scheduled_at, x.ordinal LIMIT p_max + 1) b) e;
END
$routine$`,
};
