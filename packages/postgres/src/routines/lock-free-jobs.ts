import type { Routine } from "./routine.ts";

/**
 * Called by routines that hold locks already: locks these jobs without waiting, in any order. If
 * another transaction has one of them, returns false. The caller then releases its locks and locks
 * all rows in order.
 *
 * SKIP LOCKED can still wait for a row that is updated just as its lock is released, so the wait
 * has a limit.
 */
export const lockFreeJobs: Routine = {
  name: "lock_free_jobs",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.lock_free_jobs(p_ids {id}[])
RETURNS boolean
LANGUAGE plpgsql VOLATILE
{settings}
SET lock_timeout = '500ms'
AS $routine$
BEGIN
  RETURN (
    SELECT count(*) FROM (
      SELECT j.id FROM {schema}.job j WHERE j.id = ANY(p_ids) FOR NO KEY UPDATE SKIP LOCKED
    ) locked
  ) = (SELECT count(*) FROM {schema}.job j WHERE j.id = ANY(p_ids));
EXCEPTION WHEN lock_not_available THEN RETURN false;
END
$routine$`,
};
