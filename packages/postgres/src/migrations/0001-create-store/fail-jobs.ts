import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine } from "../routine.ts";
import {
  beginAgainIfMore,
  edgesTo,
  failingWith,
  jobById,
  lockJobs,
  untilAllIsLocked,
} from "./locks.ts";
import { lostElements } from "./sequence-end.ts";

/** The routine that fails jobs whose rows the caller has locked and checked. */
export const failJobsOf = ({ schema }: StoreNames): string => `${schema}.fail_locked_jobs`;

const look = (names: StoreNames): string => `
    v_lock_ids := ARRAY(${failingWith(names, "p_ids")});`;

const underLocks = (
  names: StoreNames,
): string => `${lockJobs(names)}${beginAgainIfMore(failingWith(names, "p_ids"))}
  v_ids := ARRAY(
    SELECT j.id FROM unnest(p_ids, p_lease_versions) AS u (id, lease_version)
    JOIN ${names.schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version
    ORDER BY j.id)::${names.idType}[];
  v_elements := ARRAY(
    SELECT u.element FROM unnest(p_ids) WITH ORDINALITY AS u (id, element) WHERE u.id = ANY(v_ids));
  v_errors := ARRAY(
    SELECT p_errors[array_position(p_ids, i.id)] FROM unnest(v_ids) WITH ORDINALITY AS i (id, element)
    ORDER BY i.element);`;

/** Rows `failed`, by id, `dependant` with its error, and `lost`. */
export const failJobs = (names: StoreNames): Routine => ({
  name: "fail_jobs",
  args: `p_ids ${names.idType}[], p_lease_versions integer[], p_errors text[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_lock_ids ${names.idType}[];
  v_ids ${names.idType}[];
  v_elements bigint[];
  v_errors text[];
BEGIN${untilAllIsLocked(look(names), underLocks(names))}
  RETURN QUERY SELECT * FROM ${failJobsOf(names)}(v_ids, v_errors, v_lock_ids);
  IF cardinality(v_elements) < cardinality(p_ids) THEN${lostElements(names)}
  END IF;
END`,
});

/** Rows `failed` for the jobs given, and `dependant` for those that fail with them, level by level. */
export const failLockedJobs = (names: StoreNames): Routine => ({
  name: "fail_locked_jobs",
  args: `p_ids ${names.idType}[], p_errors text[], p_locked_ids ${names.idType}[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_kind text := 'failed';
  v_ids ${names.idType}[] := p_ids;
  v_errors text[] := p_errors;
  v_sequence_ids ${names.idType}[];
BEGIN
  WHILE cardinality(v_ids) > 0 LOOP
    RETURN QUERY UPDATE ${names.schema}.job j SET
      status = 'failed', last_attempt_error = u.error,
      finished_at = v_now, leased_by = NULL, leased_until = NULL
    FROM unnest(v_ids, v_errors) AS u (id, error) WHERE j.id = u.id
    RETURNING ${jobResult("v_kind", "NULL", "NULL", "j")};
    v_sequence_ids := ARRAY(
      SELECT DISTINCT j.sequence_id FROM ${names.schema}.job j WHERE j.id = ANY(v_ids)
      ORDER BY j.sequence_id)::${names.idType}[];
    UPDATE ${names.schema}.job j SET sequence_outcome = 'failed' WHERE j.id = ANY(v_sequence_ids);
    v_kind := 'dependant';
    SELECT coalesce(array_agg(d.id), '{}'), coalesce(array_agg(d.error), '{}') INTO v_ids, v_errors
    FROM (
      SELECT j.id, 'Blocker sequence ' || min(b.blocker_sequence_id::text) || ' failed' AS error
      FROM unnest(v_sequence_ids) AS s (id)
      CROSS JOIN ${edgesTo(names, "s.id")} b
      CROSS JOIN ${jobById(names, "b.job_id")} j
      WHERE j.status = 'blocked' AND j.on_blocker_failure = 'fail'
        -- What is not locked was retried since, and so is not failed by this. IS TRUE: a hash of all ids, no join.
        AND (j.id IN (SELECT l.id FROM unnest(p_locked_ids) AS l (id))) IS TRUE
      GROUP BY j.id ORDER BY j.id
    ) d;
  END LOOP;
END`,
});
