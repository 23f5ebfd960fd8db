import type { StoreNames } from "../../store-names.ts";
import { type Routine, sparseResult } from "../routine.ts";
import {
  beginAgainIf,
  beginAgainIfMore,
  dependantsOf,
  lockJobs,
  untilAllIsLocked,
} from "./locks.ts";
import { endSequences, lostElements, releaseDependants } from "./sequence-end.ts";

const args = (id: string): string => `
  p_worker_id text, p_ids ${id}[], p_lease_versions integer[], p_outputs text[],
  p_continued_to_ids ${id}[],
  p_next_type_names text[], p_next_inputs text[], p_next_at timestamptz[], p_next_after_ms float8[],
  p_next_priorities integer[], p_next_awaits_blockers boolean[], p_next_on_blocker_failures text[],
  p_next_trace_contexts text[], p_next_positions integer[], p_looks_first boolean`;

// What has to be locked besides the jobs, all in one order: the first jobs of sequences that end at a later one, and
// the jobs that wait for sequences that end. Where calls have found nothing of the kind lately, the first try does not look
// and leaves the locking to the update: if there is something, that has shown it, and is undone.
const look = (names: StoreNames): string => `
    v_lock_ids := NULL;
    IF v_looks THEN
      PERFORM 1 FROM ${names.schema}.job j
      WHERE j.id = ANY(p_ids) AND (j.position > 0 OR j.dependants > 0) LIMIT 1;
      v_finds := FOUND;
    END IF;
    v_looks := true;
    IF v_finds THEN
      v_lock_ids := ARRAY(
        SELECT DISTINCT j.sequence_id
        FROM unnest(p_ids, p_outputs) AS u (id, output)
        JOIN ${names.schema}.job j ON j.id = u.id
        WHERE u.output IS NOT NULL AND (j.position > 0 OR j.dependants > 0))::${names.idType}[];
      v_lock_ids := p_ids || v_lock_ids || ARRAY(${dependantsOf(names, "v_lock_ids")}
      )::${names.idType}[];
    END IF;`;

const many = `(
      SELECT * FROM unnest(p_ids, p_lease_versions, p_outputs, p_continued_to_ids)
        WITH ORDINALITY AS u (id, lease_version, output, continued_to_id, element)
      ORDER BY u.id
    ) u`;

// A completion by callback comes alone, and needs neither lists nor an order.
const one = `(
      SELECT p_ids[1] AS id, p_lease_versions[1] AS lease_version, p_outputs[1] AS output,
        p_continued_to_ids[1] AS continued_to_id, 1::bigint AS element
    ) u`;

const complete = ({ schema }: StoreNames, elements: string): string => `
  WITH completed AS (
    UPDATE ${schema}.job j SET
      status = 'completed', output = u.output, continued_to_id = u.continued_to_id,
      finished_at = v_now, completed_by = p_worker_id, leased_by = NULL, leased_until = NULL,
      sequence_outcome = CASE WHEN j.position = 0 AND u.output IS NOT NULL THEN 'completed' END
    FROM ${elements}
    WHERE j.id = u.id AND CASE
      WHEN u.lease_version IS NULL THEN j.status IN ('blocked', 'pending', 'running')
      ELSE j.status = 'running' AND j.lease_version = u.lease_version END
    RETURNING u.element, j.id, j.sequence_id, j.position, j.dependants, u.output IS NOT NULL AS ended
  )
  SELECT
    array_agg(c.element),
    array_agg(c.sequence_id) FILTER (WHERE c.ended AND c.position > 0),
    array_agg(c.sequence_id) FILTER (WHERE c.ended AND c.position = 0 AND c.dependants > 0)
  INTO v_elements, v_ended_ids, v_awaited_ids
  FROM completed c;`;

// What the next job shares with the one it continues is copied from there.
const createNext = (names: StoreNames): string => `
  IF cardinality(p_next_type_names) > 0 THEN
    RETURN QUERY INSERT INTO ${names.schema}.job AS j (
      id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
      origin_id, position, status, input, priority, on_blocker_failure,
      created_at, scheduled_at, trace_context)
    SELECT
      u.next_id, u.type_name, p.sequence_id, p.sequence_type_name, p.sequence_created_at,
      p.root_sequence_id, p.id, u.position,
      CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'pending' END,
      u.input, coalesce(u.priority, 0), coalesce(u.on_blocker_failure, 'wait'),
      v_now, coalesce(u.at, v_now + u.after_ms * interval '1 ms', v_now), u.trace_context
    FROM unnest(
      p_ids, p_continued_to_ids, p_next_type_names, p_next_inputs, p_next_at, p_next_after_ms,
      p_next_priorities, p_next_awaits_blockers, p_next_on_blocker_failures, p_next_trace_contexts,
      p_next_positions)
    WITH ORDINALITY AS u (
      id, next_id, type_name, input, at, after_ms, priority, awaits_blockers, on_blocker_failure,
      trace_context, position, element)
    JOIN ${names.schema}.job p ON p.id = u.id
    WHERE u.type_name IS NOT NULL AND u.element = ANY(v_elements)
    ORDER BY u.element
    RETURNING ${sparseResult(names, "'created'", "NULL", "NULL", {
      id: "j.id",
      ordinal: "j.ordinal",
      created_at_us: "date_part('epoch', j.created_at) * 1000000",
      scheduled_at_us: "date_part('epoch', j.scheduled_at) * 1000000",
    })};
  END IF;`;

// Rows are answered only when nothing makes us begin again. Who ends an awaited sequence holds its first job, and so
// its edges still.
const underLocks = (names: StoreNames): string => `
  IF v_lock_ids IS NOT NULL THEN${lockJobs(names)}
  END IF;
  v_now := clock_timestamp();
  IF cardinality(p_ids) = 1 THEN${complete(names, one)}
  ELSE${complete(names, many)}
  END IF;
  v_elements := coalesce(v_elements, '{}');
  IF v_ended_ids IS NOT NULL THEN${beginAgainIf("v_lock_ids IS NULL")}${endSequences(names, "completed")}
  END IF;
  IF v_awaited_ids IS NOT NULL THEN${beginAgainIfMore(dependantsOf(names, "v_awaited_ids"))}
  END IF;${createNext(names)}
  IF v_awaited_ids IS NOT NULL THEN${releaseDependants(names)}
  END IF;
  IF cardinality(v_elements) < cardinality(p_ids) THEN${lostElements(names)}
  END IF;`;

/**
 * Rows `created`, by id: continuations. `unblocked`: jobs that wait no more, the sequence that ended in `detail`.
 * `lost`: elements that were not written, the reason in `detail`. Last `summary`, with the moment of completion, and in
 * `detail` whether a look has found anything.
 */
export const completeJobs = (names: StoreNames): Routine => ({
  name: "complete_jobs",
  args: args(names.idType),
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_now timestamptz;
  v_looks boolean := p_looks_first;
  v_finds boolean := false;
  v_elements bigint[];
  v_lock_ids ${names.idType}[];
  v_ended_ids ${names.idType}[];
  v_awaited_ids ${names.idType}[];
BEGIN${untilAllIsLocked(look(names), underLocks(names))}
  RETURN QUERY SELECT ${sparseResult(names, "'summary'", "NULL", "v_finds", {
    finished_at_us: "date_part('epoch', v_now) * 1000000",
  })};
END`,
});
