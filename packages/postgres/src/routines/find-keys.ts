import type { Routine } from "./routine.ts";

/** A row for each job under a key: the key, and the jobs that hold an unexpired lease under it. */
export const findKeys: Routine = {
  name: "find_keys",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.find_keys(p_ids {id}[], p_max integer)
RETURNS TABLE (element integer, limit_name text, key text, cost integer, holders text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  SELECT q.element, {unescaped split_part(q.key_id, chr(1), 2)}, {unescaped split_part(q.key_id, chr(1), 3)},
    q.cost, coalesce(h.ids, '[]')
  FROM (
    SELECT u.element::integer, {key of j.queue} AS key_id, coalesce(j.start_cost, 1) AS cost
    FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
    CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE id = u.id OFFSET 0) j
    WHERE j.queue IS NOT NULL
  ) q
  CROSS JOIN LATERAL (
    SELECT json_agg(r.id)::text AS ids FROM (
      SELECT u.id::text
      FROM {schema}.lease e
      CROSS JOIN LATERAL unnest(e.job_ids, e.lease_versions) AS u (id, version)
      -- OFFSET 0 keeps the planner from reading the whole table.
      CROSS JOIN LATERAL (
        SELECT FROM {schema}.job o
        WHERE o.id = u.id AND o.status = 'open' AND o.lease_version = u.version - 1 OFFSET 0) o
      WHERE e.type_name < chr(2) AND e.type_name >= q.key_id AND e.type_name < {end of q.key_id}
        AND e.leased_until > v_now
      LIMIT p_max) r) h;
END
$routine$`,
};
