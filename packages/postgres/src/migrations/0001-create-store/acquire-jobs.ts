import { acquiredSelection, otherSelection } from "../../acquired-row.ts";
import { jobText, toUs } from "../../job-row.ts";
import type { StoreNames } from "../../store-names.ts";
import type { Routine } from "../routine.ts";

const args = `
  p_worker_id text, p_limit integer, p_types text[], p_lease_ms float8[], p_limits integer[],
  p_mark_types text[], p_mark_priorities integer[], p_mark_at_us float8[], p_mark_ordinals bigint[],
  p_leases_after_us float8`;

// The next priority below the last that has jobs, and its earliest due time: one probe, however many jobs there are.
const nextPriority = (schema: string): string => `
      SELECT j.priority, j.scheduled_at INTO v_next_priority, v_head
      FROM ${schema}.job j
      WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority < v_priority
        AND j.priority > v_mark_priority
      ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT 1;`;

// Rows are passed on by their place: they are locked here, so nobody can move them before they are updated.
const probe = (schema: string, bound: string): string => `
        v_found := ARRAY(
          SELECT j.ctid FROM ${schema}.job j
          WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority = v_priority
            AND j.scheduled_at <= v_now${bound}
          ORDER BY j.scheduled_at, j.ordinal
          LIMIT v_room - cardinality(v_taken)
          FOR NO KEY UPDATE SKIP LOCKED);`;

// The probe begins where the one before has found the first: dead entries are walked over once. A low-water mark lets it
// begin behind those that somebody's long transaction keeps in the index.
const probeOnePriority = (schema: string): string => `
      IF v_priority = v_mark_priority THEN${probe(
        schema,
        `
            AND (j.scheduled_at, j.ordinal) > (v_mark_at, v_mark_ordinal)`,
      )}
      ELSE${probe(
        schema,
        `
            AND j.scheduled_at >= v_head`,
      )}
      END IF;
      v_taken := v_taken || v_found;`;

const findMark = `
      v_mark_priority := -2147483649;
      IF cardinality(p_mark_types) > 0 THEN
        SELECT m.priority, timestamptz 'epoch' + m.at_us * interval '1 us', m.ordinal
        INTO v_found_priority, v_mark_at, v_mark_ordinal
        FROM unnest(p_mark_types, p_mark_priorities, p_mark_at_us, p_mark_ordinals)
          AS m (type_name, priority, at_us, ordinal)
        WHERE m.type_name = v_type AND m.priority < v_priority
        ORDER BY m.priority DESC LIMIT 1;
        IF FOUND THEN v_mark_priority := v_found_priority; END IF;
      END IF;`;

const takeDue = (schema: string): string => `
    v_priority := 2147483648;
    LOOP${findMark}${nextPriority(schema)}
      IF FOUND THEN
        v_priority := v_next_priority;
        v_mark_priority := -2147483649;
        IF v_head > v_now THEN
          v_next_due := least(v_next_due, v_head);
          CONTINUE;
        END IF;
      ELSE
        EXIT WHEN v_mark_priority = -2147483649;
        v_priority := v_mark_priority;
      END IF;
      IF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type; END IF;
${probeOnePriority(schema)}
      EXIT WHEN cardinality(v_taken) >= v_room;
    END LOOP;`;

// Rare: a worker has died. Its jobs have kept their places, so they are merged with what is pending; rows locked
// and not chosen are free again when this statement ends.
const mergeExpired = (schema: string): string => `
    IF v_type = ANY(v_expired_types) THEN
      v_found := ARRAY(
        SELECT j.ctid FROM ${schema}.job j
        WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = v_type
          AND j.leased_until > v_leases_after
        ORDER BY j.priority DESC, j.scheduled_at, j.ordinal
        LIMIT v_room FOR NO KEY UPDATE SKIP LOCKED);
      SELECT v_reclaimed_ids || array_agg(j.id), v_reclaimed_from || array_agg(j.leased_by)
      INTO v_reclaimed_ids, v_reclaimed_from
      FROM ${schema}.job j WHERE j.ctid = ANY(v_found) HAVING count(*) > 0;
      v_taken := ARRAY(
        SELECT j.ctid FROM ${schema}.job j WHERE j.ctid = ANY(v_taken || v_found)
        ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT v_room);
    END IF;`;

const reclaimedFrom = `CASE WHEN v_reclaimed_ids <> '{}'
      THEN v_reclaimed_from[array_position(v_reclaimed_ids, j.id)] END`;

/** The place of the job `j`'s type among those asked for. */
export const typeIndex = "array_position(p_types, j.type_name)";

/** What a lease of the job `j` consists of. */
export const leaseColumns: string = `
      leased_by = p_worker_id, last_attempt_at = v_now,
      leased_until = v_now + p_lease_ms[${typeIndex}] * interval '1 ms'`;

const markRunning = ({ schema }: StoreNames): string => `
  RETURN QUERY UPDATE ${schema}.job j SET
    status = 'running', attempt = j.attempt + 1, lease_version = j.lease_version + 1,${leaseColumns},
    last_attempt_error = CASE WHEN j.status = 'running'
      THEN 'The lease of worker ' || coalesce(j.leased_by, '?') || ' expired' ELSE j.last_attempt_error END
  WHERE j.ctid = ANY(v_places)
  RETURNING ${acquiredSelection(typeIndex, reclaimedFrom)};`;

const blockerRow = (names: StoreNames, word: string): string =>
  otherSelection(names, { facts: `'${word} ' || u.index`, id: "u.job_id", rest: jobText("j") });

// Before the update, which moves the rows.
const findBlockers = ({ schema }: StoreNames): string => `
    SELECT array_agg(b.job_id), array_agg(b.index), array_agg(b.blocker_sequence_id)
    INTO v_blocked_ids, v_blocker_indexes, v_blocker_ids
    FROM ${schema}.job j JOIN ${schema}.job_blocker b ON b.job_id = j.id
    WHERE j.ctid = ANY(v_places);`;

const blockers = (names: StoreNames): string => `
  IF v_blocked_ids IS NOT NULL THEN
    RETURN QUERY SELECT ${blockerRow(names, "blocker_first")}
    FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
    JOIN ${names.schema}.job j ON j.id = u.id;
    RETURN QUERY SELECT ${blockerRow(names, "blocker_current")}
    FROM unnest(v_blocked_ids, v_blocker_indexes, v_blocker_ids) AS u (job_id, index, id)
    CROSS JOIN LATERAL (
      SELECT c.* FROM ${names.schema}.job c WHERE c.sequence_id = u.id AND c.position > 0
      ORDER BY c.position DESC LIMIT 1) j;
  END IF;`;

// After the update, so that a row locked by somebody else, or left behind by a limit, still counts as due.
export const findNextDue = (schema: string, types: string): string => `
    FOREACH v_type IN ARRAY ${types} LOOP
      v_priority := 2147483648;
      LOOP
        SELECT j.priority, j.scheduled_at INTO v_priority, v_head FROM ${schema}.job j
        WHERE j.status = 'pending' AND j.type_name = v_type AND j.priority < v_priority
        ORDER BY j.priority DESC, j.scheduled_at, j.ordinal LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_next_due := least(v_next_due, v_head);
      END LOOP;
    END LOOP;`;

// GREATEST and LEAST leave NULL out, which would make "none" 0; concat_ws leaves out the last.
export const summaryFacts = (
  word: string,
): string => `concat_ws(' ', '${word}', ${toUs("v_now")}, v_probe_us::bigint,
      CASE WHEN v_next_due IS NOT NULL THEN least(greatest(
        ceil(date_part('epoch', v_next_due - clock_timestamp()) * 1000), 0), 2147483647)::bigint END)`;

const declarations = (id: string): string => `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_leases_after timestamptz := coalesce(
    timestamptz 'epoch' + p_leases_after_us * interval '1 us', '-infinity');
  v_places tid[] := '{}';
  v_taken tid[];
  v_found tid[];
  v_type text;
  v_room integer;
  -- Wider than priorities: they begin above the highest, and end below the lowest.
  v_priority bigint;
  v_next_priority integer;
  v_found_priority integer;
  v_head timestamptz;
  v_mark_priority bigint;
  v_mark_at timestamptz;
  v_mark_ordinal bigint;
  v_due_types text[] := '{}';
  v_expired_types text[];
  v_reclaimed_ids ${id}[] := '{}';
  v_reclaimed_from text[] := '{}';
  v_blocked_ids ${id}[];
  v_blocker_indexes integer[];
  v_blocker_ids ${id}[];
  v_next_due timestamptz;
  v_probe_us float8;`;

/**
 * Rows of jobs; `blocker_first` and `blocker_current` with the blocker's index, the id of the waiting job, and themselves
 * in `rest`; last `summary`: the moment, how many microseconds the probes took, and milliseconds to the next due job.
 */
export const acquireJobs = (names: StoreNames): Routine => ({
  name: "acquire_jobs",
  args,
  returns: `SETOF ${names.schema}.acquired_job`,
  skipsLockedRows: true,
  body: `${declarations(names.idType)}
BEGIN
  v_expired_types := ARRAY(
    SELECT DISTINCT j.type_name FROM ${names.schema}.job j
    WHERE j.status = 'running' AND j.leased_until <= v_now AND j.type_name = ANY(p_types)
      AND j.leased_until > v_leases_after);
  FOR v_index IN 1..cardinality(p_types) LOOP
    v_type := p_types[v_index];
    v_room := least(p_limits[v_index], p_limit - cardinality(v_places));
    v_taken := '{}';
    IF v_room > 0 THEN${takeDue(names.schema)}${mergeExpired(names.schema)}
    ELSIF NOT v_type = ANY(v_due_types) THEN v_due_types := v_due_types || v_type;
    END IF;
    v_places := v_places || v_taken;
  END LOOP;
  v_probe_us := date_part('epoch', clock_timestamp() - v_now) * 1000000;
  IF cardinality(v_places) > 0 THEN${findBlockers(names)}${markRunning(names)}${blockers(names)}
  END IF;
  IF cardinality(v_places) < p_limit THEN${findNextDue(names.schema, "v_due_types")}
  END IF;
  RETURN QUERY SELECT ${otherSelection(names, { facts: summaryFacts("summary") })};
END`,
});
