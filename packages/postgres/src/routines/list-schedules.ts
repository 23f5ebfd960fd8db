import type { Routine } from "./routine.ts";

/** One page by name. */
export const listSchedules: Routine = {
  name: "list_schedules",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_schedules(
  p_names text[], p_declared boolean, p_after_name text, p_limit integer)
RETURNS TABLE (name text, look_at bigint, is_declared boolean, definition text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  IF p_names IS NOT NULL THEN
    RETURN QUERY SELECT s.name::text, floor(extract(epoch FROM s.look_at) * 1000)::bigint, s.is_declared, s.definition
    FROM {schema}.schedule s
    WHERE s.name = ANY(p_names) AND (p_declared IS NULL OR s.is_declared = p_declared)
      AND (p_after_name IS NULL OR s.name > p_after_name COLLATE "C")
    ORDER BY s.name LIMIT p_limit;
  ELSIF p_declared THEN
    -- A constant, for the index of declared schedules.
    RETURN QUERY SELECT s.name::text, floor(extract(epoch FROM s.look_at) * 1000)::bigint, s.is_declared, s.definition
    FROM {schema}.schedule s
    WHERE s.is_declared AND s.name > coalesce(p_after_name, '') COLLATE "C"
    ORDER BY s.name LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT s.name::text, floor(extract(epoch FROM s.look_at) * 1000)::bigint, s.is_declared, s.definition
    FROM {schema}.schedule s
    WHERE (p_declared IS NULL OR NOT s.is_declared)
      AND s.name > coalesce(p_after_name, '') COLLATE "C"
    ORDER BY s.name LIMIT p_limit;
  END IF;
END
$routine$`,
};
