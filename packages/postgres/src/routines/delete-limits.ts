import type { Routine } from "./routine.ts";

/** Deletes limits with the rows of their keys. Returns the names that were stored. */
export const deleteLimits: Routine = {
  name: "delete_limits",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.delete_limits(p_names text[])
RETURNS TABLE (name text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_found text[];
BEGIN
  -- In the order of names, as acquisitions lock them, and before keys.
  v_found := ARRAY(
    SELECT l.name FROM {schema}.job_limit l WHERE l.name = ANY(p_names)
    ORDER BY l.name FOR UPDATE);
  PERFORM 1 FROM (
    SELECT k.id FROM {schema}.limit_key k WHERE k.limit_name = ANY(p_names)
    ORDER BY k.id FOR UPDATE) locked;
  DELETE FROM {schema}.limit_key k WHERE k.limit_name = ANY(p_names);
  DELETE FROM {schema}.job_limit l WHERE l.name = ANY(p_names);
  PERFORM {schema}.leave_turns_under(chr(1) || {escaped u.name} || chr(1))
  FROM unnest(p_names) AS u (name);
  RETURN QUERY SELECT u.name FROM unnest(v_found) AS u (name);
END
$routine$`,
};
