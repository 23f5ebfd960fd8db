import type { StoreNames } from "../../store-names.ts";
import { jobResult, type Routine, sparseResult } from "../routine.ts";
import { beginAgainIfMore, lockJobs, untilAllIsLocked } from "./locks.ts";

/** The jobs of whole trees: those of the roots' sequences and of all that were started within them. */
const trees = ({ schema }: StoreNames, roots: string): string => `
        WITH sequences AS MATERIALIZED (
          SELECT j.id FROM ${schema}.job j WHERE j.id = ANY(${roots}) AND j.id = j.root_sequence_id
          UNION ALL
          SELECT j.id FROM ${schema}.job j
          WHERE j.root_sequence_id = ANY(${roots}) AND j.position = 0 AND j.id <> j.root_sequence_id
        )
        SELECT s.id FROM sequences s
        UNION ALL
        SELECT j.id FROM sequences s
        JOIN ${schema}.job j ON j.sequence_id = s.id AND j.position > 0`;

const outsideEdge = ({ schema }: StoreNames): string => `
    FROM ${schema}.job_blocker b JOIN ${schema}.job j ON j.id = b.job_id
    WHERE b.blocker_sequence_id = ANY(v_ids)
      -- As a subquery a hash of all ids.
      AND b.job_id NOT IN (SELECT i.id FROM unnest(v_ids) AS i (id))
      AND j.status <> 'completed'`;

// Keys whose last sequence went lose their row too, unless somebody is using it.
const deleteTree = ({ schema }: StoreNames): string => `
  -- Whoever deletes the other end of an edge deletes the edge, too.
  PERFORM 1 FROM (
    SELECT b.job_id FROM (
      SELECT e.job_id, e.index FROM ${schema}.job_blocker e WHERE e.job_id = ANY(v_ids)
      UNION
      SELECT e.job_id, e.index FROM ${schema}.job_blocker e WHERE e.blocker_sequence_id = ANY(v_ids)
    ) k
    JOIN ${schema}.job_blocker b ON b.job_id = k.job_id AND b.index = k.index
    ORDER BY b.job_id, b.index FOR UPDATE OF b
  ) locked;
  DELETE FROM ${schema}.job_blocker b WHERE b.job_id = ANY(v_ids);
  DELETE FROM ${schema}.job_blocker b WHERE b.blocker_sequence_id = ANY(v_ids);
  WITH gone AS (
    DELETE FROM ${schema}.job j WHERE j.id = ANY(v_ids)
    RETURNING j.type_name, j.deduplication_key
  )
  SELECT count(*), array_agg(g.type_name) FILTER (WHERE g.deduplication_key IS NOT NULL),
    array_agg(g.deduplication_key) FILTER (WHERE g.deduplication_key IS NOT NULL)
  INTO v_count, v_types, v_keys
  FROM gone g;
  IF v_keys IS NOT NULL THEN
    DELETE FROM ${schema}.deduplication d WHERE (d.type_name, d.key) IN (
      SELECT l.type_name, l.key
      FROM (SELECT DISTINCT u.type_name, u.key FROM unnest(v_types, v_keys) AS u (type_name, key)) k
      JOIN ${schema}.deduplication l ON l.type_name = k.type_name AND l.key = k.key
      WHERE NOT EXISTS (
        SELECT 1 FROM ${schema}.job o
        WHERE o.type_name = l.type_name AND o.deduplication_key = l.key)
      FOR UPDATE OF l SKIP LOCKED)
      -- A transaction older than this might still look at the row with an old snapshot.
      AND d.touched_at < clock_timestamp() - interval '1 hour';
  END IF;`;

const declarations = (id: string): string => `
  v_ids ${id}[];
  v_lock_ids ${id}[];
  v_count bigint := 0;
  v_types text[];
  v_keys text[];`;

/** Rows `not_root`, or `blocking` (an edge: the waiting job, its place in `element`, the blocker in `detail`), or `running` and `deleted`. */
export const deleteSequences = (names: StoreNames): Routine => ({
  name: "delete_sequences",
  args: `p_root_ids ${names.idType}[]`,
  returns: `SETOF ${names.schema}.job_result`,
  body: `
DECLARE${declarations(names.idType)}
BEGIN
  RETURN QUERY SELECT ${sparseResult(names, "'not_root'", "u.element", "u.id")}
  FROM unnest(p_root_ids) WITH ORDINALITY AS u (id, element)
  JOIN ${names.schema}.job j ON j.id = u.id
  WHERE j.id <> j.root_sequence_id ORDER BY u.element;
  IF FOUND THEN RETURN; END IF;
${untilAllIsLocked(
  `
    v_lock_ids := ARRAY(${trees(names, "p_root_ids")});`,
  // Jobs may have been added to the trees while we waited for the locks.
  `${lockJobs(names, "UPDATE")}${beginAgainIfMore(trees(names, "p_root_ids"))}`,
)}
  v_ids := v_lock_ids;
  RETURN QUERY SELECT ${jobResult("'blocking'", "b.index", "b.blocker_sequence_id", "j")}${outsideEdge(names)}
  ORDER BY b.job_id, b.index;
  IF FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT ${jobResult("'running'", "NULL", "NULL", "j")}
  FROM ${names.schema}.job j WHERE j.id = ANY(v_ids) AND j.status = 'running';
${deleteTree(names)}
  RETURN QUERY SELECT ${sparseResult(names, "'deleted'", "v_count", "NULL")};
END`,
});

// Roots by age. The scan ends at the first job too young to have been finished for so long.
const findRoots = ({ schema, idType }: StoreNames): string => `
  v_last_ordinal := (
    SELECT j.ordinal FROM ${schema}.job j
    WHERE j.created_at > v_youngest AND j.status <> 'running' ORDER BY j.ordinal LIMIT 1);
  v_roots := ARRAY(
    SELECT r.id FROM ${schema}.job r
    WHERE r.position = 0 AND r.id = r.root_sequence_id AND r.sequence_outcome IS NOT NULL
      AND r.status <> 'running'
      AND (v_last_ordinal IS NULL OR r.ordinal < v_last_ordinal)
      AND NOT EXISTS (
        SELECT 1 FROM (
          SELECT f.id, f.status, f.finished_at FROM ${schema}.job f
          WHERE f.root_sequence_id = r.id AND f.position = 0 AND f.id <> f.root_sequence_id
          UNION ALL
          SELECT r.id, r.status, r.finished_at
        ) q
        CROSS JOIN LATERAL (
          SELECT q.id, q.status, q.finished_at
          UNION ALL
          SELECT c.id, c.status, c.finished_at FROM ${schema}.job c
          WHERE c.sequence_id = q.id AND c.position > 0
        ) t
        WHERE CASE t.status
          WHEN 'completed' THEN p_completed_ms IS NULL
            OR t.finished_at > v_now - p_completed_ms * interval '1 ms'
          WHEN 'failed' THEN p_failed_ms IS NULL
            OR t.finished_at > v_now - p_failed_ms * interval '1 ms'
          ELSE true END
          OR EXISTS (
            SELECT 1 FROM ${schema}.job_blocker b JOIN ${schema}.job w ON w.id = b.job_id
            WHERE b.blocker_sequence_id = t.id AND w.root_sequence_id <> r.id
              AND w.status <> 'completed'))
    ORDER BY r.ordinal LIMIT p_limit)::${idType}[];`;

// Retention waits for nobody: a tree with a row that somebody uses, or that has grown, is left for the next time.
// Checked again under the locks: a job may have been retried or waited for meanwhile.
const lockRoots = (names: StoreNames): string => `
    v_ids := ARRAY(${trees(names, "v_roots")});
    v_lock_ids := ARRAY(
      SELECT j.id FROM ${names.schema}.job j WHERE j.id = ANY(v_ids)
      ORDER BY j.id FOR UPDATE SKIP LOCKED);
    v_ids := ARRAY(${trees(names, "v_roots")});
    v_roots := ARRAY(
      SELECT r.id FROM unnest(v_roots) AS r (id)
      EXCEPT
      SELECT t.root_sequence_id
      FROM (SELECT v.id FROM unnest(v_ids) AS v (id) EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id)) x
      JOIN ${names.schema}.job t ON t.id = x.id
      EXCEPT
      SELECT t.root_sequence_id FROM ${names.schema}.job t
      WHERE t.id = ANY(v_ids) AND (t.status NOT IN ('completed', 'failed') OR EXISTS (
        SELECT 1 FROM ${names.schema}.job_blocker b JOIN ${names.schema}.job w ON w.id = b.job_id
        WHERE b.blocker_sequence_id = t.id AND w.root_sequence_id <> t.root_sequence_id
          AND w.status <> 'completed')));
    v_ids := ARRAY(
      SELECT j.id FROM ${names.schema}.job j
      WHERE j.id = ANY(v_lock_ids) AND j.root_sequence_id = ANY(v_roots));`;

/** One row `deleted`, the number of jobs in `element`. */
export const deleteFinishedSequences = (names: StoreNames): Routine => ({
  name: "delete_finished_sequences",
  args: "p_completed_ms float8, p_failed_ms float8, p_limit integer",
  returns: `SETOF ${names.schema}.job_result`,
  skipsLockedRows: true,
  body: `
DECLARE
  v_now timestamptz := clock_timestamp();
  v_youngest timestamptz := v_now - least(p_completed_ms, p_failed_ms) * interval '1 ms';
  v_last_ordinal bigint;
  v_roots ${names.idType}[];${declarations(names.idType)}
BEGIN${findRoots(names)}
  IF v_roots <> '{}' THEN${lockRoots(names)}
${deleteTree(names)}
  END IF;
  RETURN QUERY SELECT ${sparseResult(names, "'deleted'", "v_count", "NULL")};
END`,
});
