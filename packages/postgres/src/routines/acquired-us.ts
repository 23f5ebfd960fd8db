import type { Routine } from "./routine.ts";

/**
 * Called by other routines: when the jobs were acquired, in microseconds and in their order. The worker that acquired a job
 * sends the moment with the end of the attempt. If it does not know it, the rows of "lease" are searched.
 */
export const acquiredUs: Routine = {
  name: "acquired_us",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.acquired_us(
  p_ids {id}[], p_lease_versions integer[], p_acquired_us float8[])
RETURNS float8[]
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  IF cardinality(p_acquired_us) = cardinality(p_ids)
    AND array_position(p_acquired_us, NULL::float8) IS NULL
  THEN RETURN p_acquired_us;
  END IF;
  RETURN ARRAY(
    SELECT coalesce(u.us, (
      SELECT date_part('epoch', l.acquired_at) * 1000000 FROM {schema}.lease l
      WHERE u.version IS NOT NULL
        AND l.lease_versions[array_position(l.job_ids, u.id)] = u.version LIMIT 1))
    FROM unnest(p_ids, p_lease_versions, p_acquired_us)
      WITH ORDINALITY AS u (id, version, us, element) ORDER BY u.element);
END
$routine$`,
};
