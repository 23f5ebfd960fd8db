import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine, sparseResult } from "../routine.ts";
import { beginAgainIf, untilAllIsLocked } from "./locks.ts";

const args = (id: string): string => `
  p_ids ${id}[], p_type_names text[], p_inputs text[], p_at timestamptz[], p_after_ms float8[],
  p_priorities integer[], p_awaits_blockers boolean[], p_on_blocker_failures text[],
  p_trace_contexts text[], p_root_sequence_ids ${id}[], p_origin_ids ${id}[],
  p_sequence_ids ${id}[], p_sequence_type_names text[], p_sequence_created_at timestamptz[],
  p_positions integer[],
  p_keys text[], p_strategies text[], p_windows_ms float8[]`;

// Under READ COMMITTED the statement after the upsert sees what the holder of the key committed while we waited;
// under stricter levels the upsert itself fails, since the row was written. `touched_at` only makes it a write.
const lockKeys = (schema: string): string => `
    INSERT INTO ${schema}.deduplication AS d (type_name, key, touched_at)
    SELECT DISTINCT u.type_name, u.key, v_now
    FROM unnest(p_type_names, p_keys) AS u (type_name, key)
    WHERE u.key IS NOT NULL
    ORDER BY u.type_name, u.key
    ON CONFLICT (type_name, key) DO UPDATE SET touched_at = excluded.touched_at;`;

const latest = (schema: string, outcome: string): string => `
        (SELECT j.id, j.ordinal FROM ${schema}.job j
        WHERE j.type_name = u.type_name AND j.deduplication_key = u.key AND j.sequence_outcome ${outcome}
          AND (u.window_ms IS NULL OR j.created_at >= v_now - u.window_ms * interval '1 ms')
        ORDER BY j.ordinal DESC LIMIT 1)`;

// Elements that no stored sequence stands for are created, the first of each key; later ones are deduplicated to it.
const matchKeys = (schema: string, id: string): string => `
    v_matches := ARRAY(
      SELECT m.id
      FROM unnest(p_type_names, p_keys, p_strategies, p_windows_ms)
        WITH ORDINALITY AS u (type_name, key, strategy, window_ms, element)
      LEFT JOIN LATERAL (
        SELECT c.id FROM (${latest(schema, "IS NULL")}
        UNION ALL${latest(schema, "= 'completed' AND u.strategy = 'all'")}
        UNION ALL${latest(schema, "= 'failed' AND u.strategy = 'all'")}) c
        ORDER BY c.ordinal DESC LIMIT 1
      ) m ON u.key IS NOT NULL
      ORDER BY u.element);
    SELECT array_agg(s.stands_for ORDER BY s.element) INTO v_matches
    FROM (
      SELECT u.element, CASE
        WHEN u.key IS NULL THEN NULL
        WHEN u.match IS NOT NULL AND NOT u.element > coalesce(u.first, u.element) THEN u.match
        WHEN u.element = u.first THEN NULL
        ELSE p_ids[u.first]
      END::${id} AS stands_for
      FROM (
        SELECT e.*, min(e.element) FILTER (WHERE e.match IS NULL)
          OVER (PARTITION BY e.type_name, e.key) AS first
        FROM unnest(p_type_names, p_keys, v_matches)
          WITH ORDINALITY AS e (type_name, key, match, element)
      ) u
    ) s;`;

// What a match stands for may be deleted between this statement and the next: it is held still, or looked for again. Under
// stricter levels the lock itself fails. Ids of this call match, too, when it is repeated after an answer that was lost.
const hold = (schema: string, id: string): string => `
    v_others := ARRAY(
      SELECT m.id FROM unnest(v_matches) m (id) WHERE m.id IS NOT NULL
      EXCEPT SELECT p.id FROM unnest(p_ids) p (id))::${id}[];
    SELECT count(*) INTO v_held FROM (
      SELECT j.id FROM ${schema}.job j WHERE j.id = ANY(v_others) ORDER BY j.id FOR KEY SHARE
    ) h;
${beginAgainIf("v_held < cardinality(v_others)")}`;

const matchAndHold = (schema: string, id: string): string =>
  untilAllIsLocked(
    `
    v_now := clock_timestamp();${matchKeys(schema, id)}`,
    hold(schema, id),
  );

// What a new job is made of: an argument of `create_jobs` each.
const sources = [
  ...["id", "type_name", "input", "at", "after_ms", "priority", "awaits_blockers"],
  ...["on_blocker_failure", "trace_context", "root_sequence_id", "origin_id", "sequence_id"],
  ...["sequence_type_name", "sequence_created_at", "position", "key", "match"],
] as const;

const arrays = `p_ids, p_type_names, p_inputs, p_at, p_after_ms, p_priorities, p_awaits_blockers,
      p_on_blocker_failures, p_trace_contexts, p_root_sequence_ids, p_origin_ids, p_sequence_ids,
      p_sequence_type_names, p_sequence_created_at, p_positions, p_keys, v_matches`;

const many = `unnest(
      ${arrays})
    WITH ORDINALITY AS u (${sources.join(", ")}, element)`;

// One job needs no lists, each of which is a function call and a store of rows of its own.
const one = `(SELECT ${arrays
  .split(/,\s*/)
  .map((array, index) => `${array}[1] AS ${sources[index]}`)
  .join(", ")}, 1 AS element) u`;

const insert = ({ schema }: StoreNames, source: string): string => `
    INSERT INTO ${schema}.job AS j (
      id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
      origin_id, position, status, input, priority, on_blocker_failure, deduplication_key,
      created_at, scheduled_at, trace_context)
    SELECT
      u.id, u.type_name, coalesce(u.sequence_id, u.id), coalesce(u.sequence_type_name, u.type_name),
      coalesce(u.sequence_created_at, v_now), coalesce(u.root_sequence_id, u.id),
      u.origin_id, coalesce(u.position, 0),
      CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'pending' END,
      u.input, coalesce(u.priority, 0), coalesce(u.on_blocker_failure, 'wait'), u.key,
      v_now, coalesce(u.at, v_now + u.after_ms * interval '1 ms', v_now), u.trace_context
    FROM ${source}
    WHERE u.match IS NULL
    -- Ordinals are given out in this order.
    ORDER BY u.element`;

const returning = (names: StoreNames): string => `
    RETURNING ${sparseResult(names, "'created'", "NULL", "NULL", {
      id: "j.id",
      ordinal: "j.ordinal",
      created_at_us: "date_part('epoch', j.created_at) * 1000000",
      scheduled_at_us: "date_part('epoch', j.scheduled_at) * 1000000",
    })}`;

/** Rows `created`, in the order of the elements, then `deduplicated`, by element. */
export const createJobs = (names: StoreNames): Routine => ({
  name: "create_jobs",
  args: args(names.idType),
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_matches ${names.idType}[] := '{}';
  v_others ${names.idType}[];
  v_held bigint;
BEGIN
  IF cardinality(p_keys) > 0 THEN${lockKeys(names.schema)}${matchAndHold(names.schema, names.idType)}
  END IF;
  v_now := clock_timestamp();
  IF cardinality(p_ids) = 1 THEN
    RETURN QUERY${insert(names, one)}${returning(names)};
  ELSE
    RETURN QUERY${insert(names, many)}${returning(names)};
  END IF;
  IF cardinality(p_keys) > 0 THEN
    RETURN QUERY SELECT ${jobResult("'deduplicated'", "u.element", "NULL", "j")}
    FROM unnest(v_matches) WITH ORDINALITY AS u (id, element)
    JOIN ${names.schema}.job j ON j.id = u.id;
  END IF;
END`,
});
