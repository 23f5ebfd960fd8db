import type { Routine } from "./routine.ts";

/** The jobs that are stored, by element. */
export const getJobs: Routine = {
  name: "get_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_jobs(p_ids {id}[])
RETURNS TABLE (
  element integer, job {schema}.job, leased_by text, leased_until timestamptz,
  acquired_at timestamptz)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN QUERY SELECT u.element::integer, j, j_lease.*
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN {schema}.job j ON j.id = u.id {lease j};
END
$routine$`,
};
