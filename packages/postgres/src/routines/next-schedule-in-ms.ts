import type { Routine } from "./routine.ts";

/** Milliseconds until the earliest look; NULL for none. */
export const nextScheduleInMs: Routine = {
  name: "next_schedule_in_ms",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.next_schedule_in_ms() RETURNS float8
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
BEGIN
  RETURN (
    SELECT extract(epoch FROM s.look_at - clock_timestamp()) * 1000 FROM {schema}.schedule s
    WHERE s.look_at IS NOT NULL ORDER BY s.look_at LIMIT 1);
END
$routine$`,
};
