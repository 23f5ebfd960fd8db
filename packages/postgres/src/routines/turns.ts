import type { Routine } from "./routine.ts";

/** Called by routines that end attempts: leaves a turn for the queue of each job under a key, in the order of the jobs. */
export const leaveTurns: Routine = {
  name: "leave_turns",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.leave_turns(p_ids {id}[]) RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
BEGIN
  RETURN {schema}.leave_turns_of(array_agg(j.queue), array_agg(u.place), cardinality(p_ids))
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, place) {probe j u.id}
  WHERE j.queue IS NOT NULL;
END
$routine$`,
};

/**
 * Leaves a turn for each of these queues, since a permit may be free. The turns are in the order of the places, of which `p_last` is
 * the highest. Of a limit that types share, also for the queues of the key that wait.
 */
export const leaveTurnsOf: Routine = {
  name: "leave_turns_of",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.leave_turns_of(p_queues text[], p_places bigint[], p_last bigint)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_count integer;
BEGIN
  INSERT INTO {schema}.turn (look_at, type_name, queue)
  SELECT v_now - (p_last - min(u.place)) * interval '1 us', {unescaped split_part(u.queue, chr(1), 4)},
    u.queue
  FROM unnest(p_queues, p_places) AS u (queue, place) GROUP BY u.queue;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF EXISTS (
    SELECT FROM unnest(p_queues) AS u (queue)
    WHERE split_part(u.queue, chr(1), 2) <> split_part(u.queue, chr(1), 4))
  THEN
    INSERT INTO {schema}.turn (look_at, type_name, queue)
    SELECT DISTINCT v_now, t.type_name, t.queue
    FROM (SELECT DISTINCT {key of u.queue} AS id FROM unnest(p_queues) AS u (queue)) e
    CROSS JOIN LATERAL (
      SELECT o.type_name, o.queue FROM {schema}.turn o
      WHERE o.queue >= e.id AND o.queue < {end of e.id} AND o.look_at > v_now OFFSET 0) t;
  END IF;
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
