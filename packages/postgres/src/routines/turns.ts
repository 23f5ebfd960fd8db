import type { Routine } from "./routine.ts";

/**
 * Called by routines that end attempts: leaves a turn for the queue of each job under a key, since a permit may be free. The
 * turns are in the order of the jobs. Of a limit that types share, also for the queues of the key that wait.
 */
export const leaveTurns: Routine = {
  name: "leave_turns",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.leave_turns(p_ids {id}[]) RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_count integer;
BEGIN
  WITH ended AS (
    SELECT j.type_name, j.queue, {key of j.queue} AS id,
      split_part(j.queue, chr(1), 2) <> split_part(j.queue, chr(1), 4) AS is_shared,
      v_now - (cardinality(p_ids) - min(u.place)) * interval '1 us' AS look_at
    FROM unnest(p_ids) WITH ORDINALITY AS u (id, place) {probe j u.id}
    WHERE j.queue IS NOT NULL GROUP BY j.type_name, j.queue
  )
  INSERT INTO {schema}.turn (look_at, type_name, queue)
  SELECT e.look_at, e.type_name, e.queue FROM ended e
  UNION
  SELECT v_now, t.type_name, t.queue FROM ended e
  JOIN {schema}.turn t ON t.queue >= e.id AND t.queue < {end of e.id}
  WHERE e.is_shared AND t.look_at > v_now;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$routine$`,
};

/** Called when bounds were raised or a pause ended: leaves a turn for each queue that begins so and has pending jobs. */
export const leaveTurnsUnder: Routine = {
  name: "leave_turns_under",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.leave_turns_under(p_start text) RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_queue text COLLATE "C" := p_start;
  v_count integer := 0;
BEGIN
  LOOP
    -- From queue to queue: one probe for each, however many jobs it has.
    SELECT r.type_name INTO v_queue FROM {schema}.ready r
    WHERE r.type_name > v_queue AND r.type_name < {end of p_start}
    ORDER BY r.type_name LIMIT 1;
    EXIT WHEN v_queue IS NULL;
    INSERT INTO {schema}.turn (look_at, type_name, queue)
    VALUES (clock_timestamp(), {type of v_queue}, v_queue);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END
$routine$`,
};
