// Renewing, giving back and reclaiming leases: one statement each, so no routine needs more than its update.
import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine, sparseResult } from "../routine.ts";
import { lostElements } from "./sequence-end.ts";

/** Rows `lost`; what is not among them is held. A row locked by its holder's transaction is held, and left alone. */
export const renewLeases = (names: StoreNames): Routine => ({
  name: "renew_leases",
  args: `p_ids ${names.idType}[], p_lease_versions integer[], p_lease_ms float8[]`,
  returns: `SETOF ${names.schema}.job_result`,
  skipsLockedRows: true,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_elements bigint[];
BEGIN
  WITH free AS MATERIALIZED (
    SELECT j.id, u.lease_ms
    FROM (SELECT * FROM unnest(p_ids, p_lease_versions, p_lease_ms)
      AS u (id, lease_version, lease_ms) ORDER BY u.id) u
    JOIN ${names.schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version
      AND j.leased_until < v_now + u.lease_ms * interval '1 ms'
    ORDER BY j.id FOR NO KEY UPDATE OF j SKIP LOCKED
  )
  UPDATE ${names.schema}.job j
  SET leased_until = greatest(j.leased_until, v_now + f.lease_ms * interval '1 ms')
  FROM free f WHERE j.id = f.id;
  v_elements := ARRAY(
    SELECT u.element FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    JOIN ${names.schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version);
  IF cardinality(v_elements) < cardinality(p_ids) THEN${lostElements(names)}
  END IF;
END`,
});

/** Rows `rescheduled` and `lost`, by element. */
export const rescheduleJobs = (names: StoreNames): Routine => ({
  name: "reschedule_jobs",
  args: `
  p_ids ${names.idType}[], p_lease_versions integer[], p_at timestamptz[], p_after_ms float8[],
  p_uncounted integer[], p_errors text[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_now timestamptz;
  v_elements bigint[];
BEGIN
  PERFORM 1 FROM (
    SELECT j.id FROM ${names.schema}.job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE
  ) locked;
  v_now := clock_timestamp();
  v_elements := ARRAY(
    SELECT u.element FROM unnest(p_ids, p_lease_versions) WITH ORDINALITY AS u (id, lease_version, element)
    JOIN ${names.schema}.job j ON j.id = u.id
    WHERE j.status = 'running' AND j.lease_version = u.lease_version);
  RETURN QUERY UPDATE ${names.schema}.job j SET
    status = 'pending', leased_by = NULL, leased_until = NULL,
    scheduled_at = coalesce(u.at, v_now + u.after_ms * interval '1 ms', j.scheduled_at),
    attempt = greatest(j.attempt - coalesce(u.uncounted, 0), 0),
    last_attempt_error = coalesce(u.error, j.last_attempt_error)
  FROM unnest(p_ids, p_at, p_after_ms, p_uncounted, p_errors)
    WITH ORDINALITY AS u (id, at, after_ms, uncounted, error, element)
  WHERE j.id = u.id AND u.element = ANY(v_elements)
  RETURNING ${sparseResult(names, "'rescheduled'", "u.element", "NULL", {
    scheduled_at_us: "date_part('epoch', j.scheduled_at) * 1000000",
  })};
  IF cardinality(v_elements) < cardinality(p_ids) THEN${lostElements(names)}
  END IF;
END`,
});

/** Rows `reclaimed`, the worker that held the lease in `detail`; oldest lease first. */
export const reclaimExpiredLeases = (names: StoreNames): Routine => ({
  name: "reclaim_expired_leases",
  args: "p_limit integer",
  returns: `SETOF ${names.schema}.job_result`,
  skipsLockedRows: true,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH expired AS MATERIALIZED (
    SELECT j.id, j.leased_by, j.leased_until FROM ${names.schema}.job j
    WHERE j.status = 'running' AND j.leased_until <= v_now
    ORDER BY j.leased_until LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
  ), reclaimed AS (
    UPDATE ${names.schema}.job j SET
      status = 'pending', leased_by = NULL, leased_until = NULL,
      last_attempt_error = 'The lease of worker ' || coalesce(e.leased_by, '?') || ' expired'
    FROM expired e WHERE j.id = e.id
    RETURNING j.*, e.leased_by AS held_by, e.leased_until AS held_until
  )
  SELECT ${jobResult("'reclaimed'", "NULL", "j.held_by", "j")}
  FROM reclaimed j ORDER BY j.held_until, j.ordinal;
END`,
});
