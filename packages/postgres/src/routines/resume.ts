import type { Routine } from "./routine.ts";

/** Ends the pauses of these types. Returns the types that were paused until now. */
export const resume: Routine = {
  name: "resume",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.resume(p_types text[])
RETURNS TABLE (type_name text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  PERFORM 1 FROM (
    SELECT p.type_name FROM {schema}.pause p WHERE p.type_name = ANY(p_types)
    ORDER BY p.type_name FOR UPDATE
  ) locked;
  PERFORM {schema}.leave_turns_under(chr(1) || {escaped u.type_name} || chr(1))
  FROM unnest(p_types) AS u (type_name) WHERE u.type_name <> '';
  RETURN QUERY
  WITH ended AS (
    DELETE FROM {schema}.pause p WHERE p.type_name = ANY(p_types)
    RETURNING p.type_name, p.paused_until
  )
  SELECT e.type_name FROM ended e WHERE e.paused_until IS NULL OR e.paused_until > v_now;
END
$routine$`,
};
