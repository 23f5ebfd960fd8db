import type { Routine } from "./routine.ts";

/** The names that were written. */
export const writeSchedules: Routine = {
  name: "write_schedules",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.write_schedules(
  p_names text[], p_look_at timestamptz[], p_declared boolean[], p_definitions text[], p_new boolean[])
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
BEGIN
  RETURN QUERY INSERT INTO {schema}.schedule AS s (name, look_at, is_declared, definition)
  SELECT g.name, g.look_at, g.is_declared, g.definition
  FROM unnest(p_names, p_look_at, p_declared, p_definitions, p_new)
    AS g (name, look_at, is_declared, definition, is_new)
  WHERE g.is_new ORDER BY g.name
  ON CONFLICT DO NOTHING
  RETURNING s.name::text;
  RETURN QUERY UPDATE {schema}.schedule s
  SET look_at = g.look_at, is_declared = g.is_declared, definition = g.definition
  FROM unnest(p_names, p_look_at, p_declared, p_definitions, p_new)
    AS g (name, look_at, is_declared, definition, is_new)
  WHERE NOT g.is_new AND s.name = g.name
  RETURNING s.name::text;
END
$routine$`,
};
