import type { Routine } from "./routine.ts";

// Each step is three probes behind the queues of the key before, so the jobs of a key cost nothing. A lease stays for a moment
// after its job has ended, and so may its key.

/** The keys of a limit with bounds, a pause, or jobs that wait or run, in the order of their queues. */
export const listLimitKeys: Routine = {
  name: "list_limit_keys",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_limit_keys(
  p_limit_name text, p_from_key text, p_limit integer)
RETURNS TABLE (key text)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_limit text COLLATE "C" := chr(1) || {escaped p_limit_name} || chr(1);
  v_end text COLLATE "C" := {end of v_limit};
  v_from text COLLATE "C" := v_limit || coalesce({escaped p_from_key}, '');
  v_queue text COLLATE "C";
BEGIN
  FOR v_step IN 1..p_limit LOOP
    SELECT min(q.queue) INTO v_queue FROM (
      (SELECT r.type_name FROM {schema}.ready r
        WHERE r.type_name >= v_from AND r.type_name < v_end ORDER BY r.type_name LIMIT 1)
      UNION ALL
      (SELECT e.type_name FROM {schema}.lease e
        WHERE e.type_name < chr(2) AND e.type_name >= v_from AND e.type_name < v_end
        ORDER BY e.type_name LIMIT 1)
      UNION ALL
      (SELECT k.id FROM {schema}.limit_key k
        WHERE k.id >= v_from AND k.id < v_end ORDER BY k.id LIMIT 1)) q (queue);
    EXIT WHEN v_queue IS NULL;
    v_queue := {key of v_queue};
    key := {unescaped split_part(v_queue, chr(1), 3)};
    RETURN NEXT;
    v_from := {end of v_queue};
  END LOOP;
END
$routine$`,
};
