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

// A list of ids that is looked through for each of others: as a subquery it is a hash of them.
const isNot = (id: string, list: string): string =>
  `${id} NOT IN (SELECT l.id FROM unnest(${list}) AS l (id))`;

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
    WHERE ${isNot("u.blocker_id", "v_found_ids")})::integer[];`;

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
    -- Those without a blocker count, too: they wait for nothing.
    SELECT e.job_id AS id, count(DISTINCT e.blocker_id)::integer AS count
    FROM (
      SELECT a.element, a.job_id, NULL AS blocker_id
      FROM unnest(p_all_job_ids) WITH ORDINALITY AS a (job_id, element)
      UNION ALL
      SELECT u.element, u.job_id, u.blocker_id::text
      FROM unnest(p_elements, p_job_ids, p_blocker_ids) AS u (element, job_id, blocker_id)
      WHERE ${isNot("u.blocker_id", "v_completed_ids")}
    ) e
    WHERE NOT e.element = ANY(v_refused)
    GROUP BY e.job_id ORDER BY e.job_id
  ) w
  WHERE j.id = w.id;`;

const failAtOnce = (names: StoreNames): string => `
  IF cardinality(v_failed_ids) > 0 THEN
    SELECT coalesce(array_agg(f.job_id), '{}'), coalesce(array_agg(f.error), '{}')
    INTO v_failing_ids, v_failing_errors
    FROM (
      SELECT DISTINCT ON (u.job_id) u.job_id,
        'Blocker sequence ' || u.blocker_id::text || ' failed' AS error
      FROM unnest(p_elements, p_job_ids, p_blocker_ids)
        WITH ORDINALITY AS u (element, job_id, blocker_id, place)
      JOIN ${names.schema}.job j ON j.id = u.job_id
      WHERE NOT ${isNot("u.blocker_id", "v_failed_ids")} AND NOT u.element = ANY(v_refused)
        AND j.status = 'blocked' AND j.on_blocker_failure = 'fail'
      ORDER BY u.job_id, u.place
    ) f;
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
  WHERE ${isNot("u.blocker_id", "v_found_ids")} ORDER BY u.element, u.index;
  RETURN QUERY SELECT ${jobResult("'job'", "u.element", "NULL", "j")}
  FROM unnest(p_all_job_ids) WITH ORDINALITY AS u (id, element)
  JOIN ${names.schema}.job j ON j.id = u.id;
END`,
});
