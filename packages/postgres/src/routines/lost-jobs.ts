import type { Routine } from "./routine.ts";

/** Called by other routines: the elements that are not in `p_held`, and why each is lost. */
export const lostJobs: Routine = {
  name: "lost_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.lost_jobs(
  p_ids {id}[], p_lease_versions integer[], p_worker_id text, p_held bigint[])
RETURNS TABLE (element integer, reason text, is_stored_by_this_lease boolean)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT u.element::integer,
    CASE
      WHEN j.id IS NULL THEN 'not_found'
      WHEN j.status = 'cancelled' THEN 'cancelled'
      WHEN j.status IN ('completed', 'failed') THEN 'already_completed'
      ELSE 'taken_by_another_worker' END,
    -- Completion without a worker stores no worker and keeps the lease version: both have to match.
    coalesce(u.lease_version IS NOT NULL AND j.status = 'completed'
      AND j.completed_by IS NOT DISTINCT FROM p_worker_id AND j.lease_version = u.lease_version, false)
  FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
  LEFT JOIN {schema}.job j ON j.id = u.id
  WHERE NOT u.element = ANY(p_held);
END
$routine$`,
};
