import { acquiredSelection } from "../../acquired-row.ts";
import type { StoreNames } from "../../store-names.ts";
import type { Routine } from "../routine.ts";
import { findNextDue, leaseColumns, summaryFacts, typeIndex } from "./acquire-jobs.ts";

const args = `
  p_worker_id text, p_limit integer, p_types text[], p_lease_ms float8[], p_limits integer[], p_room integer`;

/** Of each type: what is read of one page of the index at once anyway. */
export const windowSize = 8;

// Not EXISTS, for which a table that was small when this was planned is read into a hash, whatever becomes of it.
const hasWaited = (schema: string): string =>
  `(SELECT true FROM ${schema}.job_blocker b WHERE b.job_id = j.id LIMIT 1)`;

// The first jobs of each type in their order, due or not: most types of a quiet store have no more than these. Where the window
// is full, its last must not be due, and nothing of a lower priority may follow. All of it is one statement, for each costs a
// process that has slept as much as several of these probes.
const look = (schema: string): string => `
  SELECT array_agg(w.ctid) FILTER (WHERE w.scheduled_at <= v_now),
    min(w.scheduled_at) FILTER (WHERE w.scheduled_at > v_now),
    count(*) FILTER (WHERE w.scheduled_at <= v_now) > p_room
    OR coalesce(bool_or(w.has_waited OR w.place = ${windowSize} AND (w.scheduled_at <= v_now OR EXISTS (
      SELECT FROM ${schema}.job j
      WHERE j.status = 'pending' AND j.type_name = w.type_name AND j.priority < w.priority))), false)
    OR EXISTS (
      SELECT FROM ${schema}.job j
      WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = ANY(p_types))
  INTO v_places, v_next_due, v_is_more
  FROM unnest(p_types) AS t (type_name)
  CROSS JOIN LATERAL (
    SELECT j.ctid, j.type_name, j.priority, j.scheduled_at,
      row_number() OVER (ORDER BY j.priority DESC, j.scheduled_at, j.ordinal) AS place,
      ${hasWaited(schema)} AS has_waited
    FROM ${schema}.job j
    WHERE j.status = 'pending' AND j.type_name = t.type_name
    ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT ${windowSize}) w;`;

// A row that has changed since the look is not found at its place, which nothing else can have taken: the snapshot of the calling
// statement keeps what was there. One that changes at this very moment is looked at once more by what else is asked of it.
const markRunning = ({ schema }: StoreNames): string => `
    RETURN QUERY UPDATE ${schema}.job j SET
      status = 'running', attempt = j.attempt + 1, lease_version = j.lease_version + 1, ${leaseColumns}
    WHERE j.ctid = ANY(ARRAY(
      SELECT l.ctid FROM ${schema}.job l
      WHERE l.ctid = ANY(v_places) AND l.status = 'pending' AND l.scheduled_at <= v_now
      FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING ${acquiredSelection(typeIndex, "NULL::text")};
    GET DIAGNOSTICS v_count = ROW_COUNT;`;

const declarations = ({ schema }: StoreNames): string => `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_places tid[];
  v_next_due timestamptz;
  v_is_more boolean;
  v_probe_us float8;
  v_count integer;
  v_type text;
  v_priority bigint;
  v_head timestamptz;
  v_summary ${schema}.acquired_job;`;

/** The same as `acquire_jobs`, sooner where there is little to acquire, and that itself where there is more or anything rare. */
export const acquireFewJobs = (names: StoreNames): Routine => ({
  name: "acquire_few_jobs",
  args,
  returns: `SETOF ${names.schema}.acquired_job`,
  skipsLockedRows: true,
  joinsTables: false,
  body: `${declarations(names)}
BEGIN${look(names.schema)}
  IF v_is_more THEN
    RETURN QUERY SELECT * FROM ${names.schema}.acquire_jobs(
      p_worker_id, p_limit, p_types, p_lease_ms, p_limits, '{}', '{}', '{}', '{}', NULL);
    RETURN;
  END IF;
  v_probe_us := date_part('epoch', clock_timestamp() - v_now) * 1000000;
  IF v_places IS NOT NULL THEN${markRunning(names)}
    IF v_count < cardinality(v_places) THEN${findNextDue(names.schema, "p_types")}
    END IF;
  END IF;
  v_summary.facts := ${summaryFacts("few")};
  RETURN NEXT v_summary;
END`,
});
