// What operators ask for: failed jobs again, pending jobs now, a sequence held still.
import { currentJob } from "../../sequence-rows.ts";
import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine, sparseResult } from "../routine.ts";
import {
  beginAgainIfMore,
  dependantsOf,
  edgesOf,
  jobById,
  lockJobs,
  untilAllIsLocked,
} from "./locks.ts";

// Keys before jobs, as when jobs are created: the key and the sequence of a job never change.
const lockKeys = ({ schema }: StoreNames): string => `
  INSERT INTO ${schema}.deduplication AS d (type_name, key, touched_at)
  SELECT DISTINCT f.type_name, f.deduplication_key, v_now
  FROM ${schema}.job j JOIN ${schema}.job f ON f.id = j.sequence_id
  WHERE j.id = ANY(p_ids) AND f.deduplication_key IS NOT NULL
  ORDER BY f.type_name, f.deduplication_key
  ON CONFLICT (type_name, key) DO UPDATE SET touched_at = excluded.touched_at;`;

const blockersOfFailed = (names: StoreNames): string => `
        SELECT b.blocker_sequence_id
        FROM unnest(p_ids) AS p (id)
        CROSS JOIN ${jobById(names, "p.id")} j
        CROSS JOIN ${edgesOf(names, "j.id")} b
        WHERE j.status = 'failed' AND j.on_blocker_failure = 'fail'`;

// A job that fails with its blocker while we wait for it has a blocker that we have not locked: without its lock, that
// could come back and fail again unseen, and the job wait for it for ever.
const lockForRetry = (names: StoreNames): string => `${lockKeys(names)}${untilAllIsLocked(
  `
    v_lock_ids := p_ids || ARRAY(
      SELECT j.sequence_id FROM ${names.schema}.job j WHERE j.id = ANY(p_ids))::${names.idType}[]
      || ARRAY(${blockersOfFailed(names)})::${names.idType}[];`,
  `${lockJobs(names)}${beginAgainIfMore(blockersOfFailed(names))}`,
)}
  -- Written, as when blockers are added: whoever fails that sequence writes it too, so that neither can miss the other.
  UPDATE ${names.schema}.job j SET dependants = j.dependants
  FROM (SELECT DISTINCT u.id FROM (${blockersOfFailed(names)}) u (id) ORDER BY u.id) u
  WHERE j.id = u.id;`;

// One at a time: of two failed sequences with one key, only the first comes back.
const retryOne = (names: StoreNames): string => `
    SELECT j.status, j.on_blocker_failure, j.sequence_id, f.type_name, f.deduplication_key
    INTO v_status, v_on_failure, v_sequence_id, v_type, v_key
    FROM ${names.schema}.job j JOIN ${names.schema}.job f ON f.id = j.sequence_id
    WHERE j.id = p_ids[v_element];
    IF NOT FOUND OR v_status <> 'failed' THEN
      RETURN QUERY SELECT ${sparseResult(
        names,
        "'refused'",
        "v_element",
        "CASE WHEN v_status IS NULL THEN 'not_found' ELSE 'not_failed' END",
      )};
      CONTINUE;
    END IF;
    v_failed_id := CASE WHEN v_on_failure = 'fail' THEN (
      SELECT b.blocker_sequence_id
      FROM ${names.schema}.job_blocker b JOIN ${names.schema}.job f ON f.id = b.blocker_sequence_id
      WHERE b.job_id = p_ids[v_element] AND f.sequence_outcome = 'failed'
      ORDER BY b.index LIMIT 1) END;
    IF v_failed_id IS NOT NULL THEN
      v_postponed := v_postponed || v_element;
      v_failed_ids := v_failed_ids || v_failed_id;
      CONTINUE;
    END IF;
    v_taken_by := (
      SELECT f.id FROM ${names.schema}.job f
      WHERE f.type_name = v_type AND f.deduplication_key = v_key AND f.sequence_outcome IS NULL
      ORDER BY f.ordinal DESC LIMIT 1);
    IF v_taken_by IS NOT NULL THEN
      RETURN QUERY SELECT ${sparseResult(names, "'key_taken'", "v_element", "v_taken_by")};
      CONTINUE;
    END IF;
    UPDATE ${names.schema}.job f SET sequence_outcome = NULL WHERE f.id = v_sequence_id;
    RETURN QUERY UPDATE ${names.schema}.job j SET
      status = CASE WHEN j.incomplete_blockers > 0 THEN 'blocked' ELSE 'pending' END,
      attempt = 0, scheduled_at = v_now, finished_at = NULL
    WHERE j.id = p_ids[v_element]
    RETURNING ${jobResult("'retried'", "v_element", "NULL", "j")};`;

/**
 * Rows `retried`, `refused` with the reason, `key_taken` with the sequence that has the key, `blocker_failed` with the one
 * that failed; by element. Those with a failed blocker are asked again, until no other came back in the meantime.
 */
export const retryFailedJobs = (names: StoreNames): Routine => ({
  name: "retry_failed_jobs",
  args: `p_ids ${names.idType}[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_lock_ids ${names.idType}[];
  v_status text;
  v_sequence_id ${names.idType};
  v_type text;
  v_key text;
  v_taken_by ${names.idType};
  v_on_failure text;
  v_failed_id ${names.idType};
  v_failed_ids ${names.idType}[];
  v_elements integer[] := ARRAY(SELECT generate_subscripts(p_ids, 1));
  v_postponed integer[];
  v_element integer;
BEGIN${lockForRetry(names)}
  v_now := clock_timestamp();
  LOOP
    v_postponed := '{}';
    v_failed_ids := '{}';
    FOREACH v_element IN ARRAY v_elements LOOP${retryOne(names)}
    END LOOP;
    EXIT WHEN cardinality(v_postponed) IN (0, cardinality(v_elements));
    v_elements := v_postponed;
  END LOOP;
  RETURN QUERY SELECT ${sparseResult(names, "'blocker_failed'", "u.element", "u.id")}
  FROM unnest(v_postponed, v_failed_ids) AS u (element, id);
END`,
});

/** Rows `triggered` and `refused` with the reason, by element. */
export const triggerJobs = (names: StoreNames): Routine => ({
  name: "trigger_jobs",
  args: `p_ids ${names.idType}[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_lock_ids ${names.idType}[] := p_ids;
  v_triggered_ids ${names.idType}[];
BEGIN
  -- The update alone might go through the index of pending jobs, in the order of that.${lockJobs(names)}
  WITH triggered AS (
    UPDATE ${names.schema}.job j SET scheduled_at = least(j.scheduled_at, clock_timestamp())
    FROM (SELECT DISTINCT u.id FROM unnest(p_ids) AS u (id) ORDER BY u.id) u
    WHERE j.id = u.id AND j.status = 'pending'
    RETURNING j.id
  )
  SELECT coalesce(array_agg(t.id), '{}') INTO v_triggered_ids FROM triggered t;
  RETURN QUERY SELECT ${jobResult("CASE WHEN j.id = ANY(v_triggered_ids) THEN 'triggered' ELSE 'refused' END", "u.element", "CASE WHEN j.id IS NULL THEN 'not_found' ELSE 'not_pending' END", "j")}
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  LEFT JOIN ${names.schema}.job j ON j.id = u.id;
END`,
});

// All that completing the sequences writes, so that completing them in the same transaction waits for nothing more.
const held = (names: StoreNames): string => `
      SELECT u.id FROM ${names.schema}.job f
      LEFT JOIN LATERAL ${currentJob(names, "f.id")} c ON true
      CROSS JOIN LATERAL (VALUES (f.id), (c.id)) AS u (id)
      WHERE f.id = ANY(p_ids) AND f.position = 0 AND u.id IS NOT NULL
      UNION ALL${dependantsOf(names, "p_ids")}`;

/** Rows `first` and, for a sequence that was continued, `current`; by element. */
export const lockSequences = (names: StoreNames): Routine => ({
  name: "lock_sequences",
  args: `p_ids ${names.idType}[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_lock_ids ${names.idType}[];
BEGIN${untilAllIsLocked(
    `
    v_lock_ids := ARRAY(${held(names)});`,
    // A sequence that was continued while we waited has another current job.
    `${lockJobs(names)}${beginAgainIfMore(held(names))}`,
  )}
  RETURN QUERY SELECT ${jobResult("'first'", "u.element", "NULL", "j")}
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  JOIN ${names.schema}.job j ON j.id = u.id AND j.position = 0;
  RETURN QUERY SELECT ${jobResult("'current'", "u.element", "NULL", "j")}
  FROM unnest(p_ids) WITH ORDINALITY AS u (id, element)
  CROSS JOIN LATERAL ${currentJob(names, "u.id")} j;
END`,
});
