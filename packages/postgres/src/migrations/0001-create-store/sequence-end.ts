// Parts of the routines that end sequences: completing and failing.
import type { StoreNames } from "../../store-names.ts";
import { jobResult, sparseResult } from "../routine.ts";

/** `v_ended_ids`: sequences that ended at a later job. Adds those that anybody waits for to `v_awaited_ids`. */
export const endSequences = ({ schema }: StoreNames, outcome: "completed" | "failed"): string => `
    WITH ended AS (
      UPDATE ${schema}.job j SET sequence_outcome = '${outcome}'
      FROM (SELECT DISTINCT e.id FROM unnest(v_ended_ids) AS e (id) ORDER BY e.id) e
      WHERE j.id = e.id
      RETURNING j.id, j.dependants
    )
    SELECT v_awaited_ids || array_agg(e.id) INTO v_awaited_ids
    FROM ended e WHERE e.dependants > 0;`;

/**
 * `v_awaited_ids`: sequences that completed, whose first jobs this transaction has written. Whoever added a blocker
 * has written the same rows: either we see the edge here, or they saw the outcome there. The count lives in the row of the
 * waiting job, so two blockers that end at once take turns on it and the second finds 1.
 */
export const releaseDependants = (names: StoreNames): string => `
    RETURN QUERY UPDATE ${names.schema}.job j SET
      incomplete_blockers = j.incomplete_blockers - d.count,
      status = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.count
        THEN 'pending' ELSE j.status END
    FROM (
      SELECT b.job_id, count(DISTINCT b.blocker_sequence_id)::integer AS count,
        min(b.blocker_sequence_id::text) AS last_id
      FROM ${names.schema}.job_blocker b
      WHERE b.blocker_sequence_id = ANY(v_awaited_ids)
      GROUP BY b.job_id ORDER BY b.job_id
    ) d
    WHERE j.id = d.job_id
    RETURNING ${jobResult(
      "CASE WHEN j.status = 'pending' AND j.incomplete_blockers = 0 THEN 'unblocked' ELSE 'waiting' END",
      "NULL",
      "d.last_id",
      "j",
    )};`;

/** The elements of `p_ids` that are not among `v_elements`, and why. */
export const lostElements = (names: StoreNames): string => `
    RETURN QUERY SELECT ${sparseResult(
      names,
      "'lost'",
      "u.element",
      `CASE
        WHEN j.id IS NULL THEN 'not_found'
        WHEN j.status IN ('completed', 'failed') THEN 'already_completed'
        ELSE 'taken_by_another_worker' END`,
      {
        status: "j.status",
        completed_by: "j.completed_by",
        lease_version: "j.lease_version",
        finished_at_us: "date_part('epoch', j.finished_at) * 1000000",
      },
    )}
    FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
    LEFT JOIN ${names.schema}.job j ON j.id = u.id
    WHERE NOT u.element = ANY(v_elements);`;
