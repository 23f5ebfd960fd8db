import type { Routine } from "./routine.ts";

/** The pauses that have not ended, by name; that of every type has the empty name. */
export const getPauses: Routine = {
  name: "get_pauses",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.get_pauses()
RETURNS TABLE (type_name text, paused_at_us bigint, paused_until_us bigint, note text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT p.type_name, (date_part('epoch', p.paused_at) * 1000000)::bigint,
    (date_part('epoch', p.paused_until) * 1000000)::bigint, p.note
  FROM {schema}.pause p
  WHERE p.paused_until IS NULL OR p.paused_until > clock_timestamp()
  ORDER BY p.type_name;
END
$routine$`,
};
