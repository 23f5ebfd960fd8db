import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine, sparseResult } from "../routine.ts";
import { failJobsOf } from "./fail-jobs.ts";
import { beginAgainIfMore, failingWith, lockJobs, untilAllIsLocked } from "./locks.ts";

const args = (id: string): string => `
  p_elements integer[], p_job_ids ${id}[], p_indexes integer[], p_blocker_ids ${id}[],
  p_all_job_ids ${id}[]`;

// Jobs that fail at once, because a blocker has, are rare: they and what fails with them are locked at the second try.
const look = (names: StoreNames): string => `
    v_lock_ids := CASE WHEN v_lock_ids IS NULL THEN p_all_job_ids || p_blocker_ids
      ELSE p_all_job_ids || p_blocker_ids || ARRAY(${failingWith(names, "p_all_job_ids")}
      ) END;`;

// The first job of each blocker is written, not merely locked: whoever ends that sequence writes it too, so that
// neither can miss the other, in whatever isolation level each of them runs.
const touchBlockers = ({ schema }: StoreNames): string => `
  WITH touched AS (
    UPDATE ${schema}.job j SET dependants = j.dependants + 1
    FROM (SELECT DISTINCT u.id FROM unnest(p_blocker_ids) AS u (id) ORDER BY u.id) u
    WHERE j.id = u.id AND j.position = 0
    RETURNING j.id, j.sequence_outcome
  )
  SELECT coalesce(array_agg(t.id), '{}'), coalesce(array_agg(t.id)
    FILTER (WHERE t.sequence_outcome = 'completed'), '{}'), coalesce(array_agg(t.id)
    FILTER (WHERE t.sequence_outcome = 'failed'), '{}')
  INTO v_found_ids, v_completed_ids, v_failed_ids
  FROM touched t;
  v_refused := ARRAY(
    SELECT u.element FROM unnest(p_elements, p_blocker_ids) AS u (element, blocker_id)
    WHERE NOT u.blocker_id = ANY(v_found_ids))::integer[];`;

const storeEdges = ({ schema }: StoreNames): string => `
  INSERT INTO ${schema}.job_blocker (job_id, blocker_sequence_id, index)
  SELECT u.job_id, u.blocker_id, u.index
  FROM unnest(p_elements, p_job_ids, p_indexes, p_blocker_ids) AS u (element, job_id, index, blocker_id)
  WHERE NOT u.element = ANY(v_refused)
  ORDER BY u.blocker_id, u.job_id;
  UPDATE ${schema}.job j SET
    incomplete_blockers = j.incomplete_blockers + w.count,
    status = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers + w.count = 0
      THEN 'pending' ELSE j.status END
  FROM (
    SELECT a.id, (
      SELECT count(DISTINCT u.blocker_id)::integer
      FROM unnest(p_job_ids, p_blocker_ids) AS u (job_id, blocker_id)
      WHERE u.job_id = a.id AND NOT u.blocker_id = ANY(v_completed_ids)) AS count
    FROM unnest(p_all_job_ids) WITH ORDINALITY AS a (id, element)
    WHERE NOT a.element = ANY(v_refused)
    ORDER BY a.id
  ) w
  WHERE j.id = w.id;`;

const failAtOnce = (names: StoreNames): string => `
  IF cardinality(v_failed_ids) > 0 THEN
    v_failing_ids := ARRAY(
      SELECT DISTINCT u.job_id
      FROM unnest(p_elements, p_job_ids, p_blocker_ids) AS u (element, job_id, blocker_id)
      JOIN ${names.schema}.job j ON j.id = u.job_id
      WHERE u.blocker_id = ANY(v_failed_ids) AND NOT u.element = ANY(v_refused)
        AND j.status = 'blocked' AND j.on_blocker_failure = 'fail');
    v_failing_errors := ARRAY(
      SELECT 'Blocker sequence ' || (
        SELECT u.blocker_id::text FROM unnest(p_job_ids, p_blocker_ids) WITH ORDINALITY AS u (job_id, blocker_id, place)
        WHERE u.job_id = f.id AND u.blocker_id = ANY(v_failed_ids) ORDER BY u.place LIMIT 1) || ' failed'
      FROM unnest(v_failing_ids) WITH ORDINALITY AS f (id, element) ORDER BY f.element);
    ${beginAgainIfMore(failingWith(names, "v_failing_ids")).trim()}
    PERFORM 1 FROM ${failJobsOf(names)}(v_failing_ids, v_failing_errors, v_lock_ids);
  END IF;`;

const underLocks = (names: StoreNames): string =>
  `${lockJobs(names)}${touchBlockers(names)}${storeEdges(names)}${failAtOnce(names)}`;

/** Rows `job`, by element, as each is afterwards; `missing`, by element, with the id of a sequence that does not exist. */
export const addBlockers = (names: StoreNames): Routine => ({
  name: "add_blockers",
  args: args(names.idType),
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_lock_ids ${names.idType}[];
  v_found_ids ${names.idType}[];
  v_completed_ids ${names.idType}[];
  v_failed_ids ${names.idType}[];
  v_refused integer[];
  v_failing_ids ${names.idType}[];
  v_failing_errors text[];
BEGIN${untilAllIsLocked(look(names), underLocks(names))}
  RETURN QUERY SELECT ${sparseResult(names, "'missing'", "u.element", "u.blocker_id")}
  FROM unnest(p_elements, p_indexes, p_blocker_ids) AS u (element, index, blocker_id)
  WHERE NOT u.blocker_id = ANY(v_found_ids) ORDER BY u.element, u.index;
  RETURN QUERY SELECT ${jobResult("'job'", "u.element", "NULL", "j")}
  FROM unnest(p_all_job_ids) WITH ORDINALITY AS u (id, element)
  JOIN ${names.schema}.job j ON j.id = u.id;
END`,
});
