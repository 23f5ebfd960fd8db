-- Layout E. ready: due and scheduled jobs. lease: one row per acquisition and type. job: written at
-- the start and once at the end of each attempt. No index covers a column that an attempt changes,
-- so that update is HOT.
CREATE SCHEMA q; SET search_path = q;
CREATE TABLE job (
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  sequence_created_at timestamptz NOT NULL, created_at timestamptz NOT NULL,
    scheduled_at timestamptz NOT NULL,
  position integer NOT NULL, priority integer NOT NULL,
  incomplete_blockers integer NOT NULL DEFAULT 0, dependants integer NOT NULL DEFAULT 0,
  id uuid PRIMARY KEY, sequence_id uuid NOT NULL, root_sequence_id uuid NOT NULL,
  type_name text COLLATE "C" NOT NULL, sequence_type_name text COLLATE "C" NOT NULL,
  on_blocker_failure text COLLATE "C" NOT NULL, input text NOT NULL, origin_id uuid,
  deduplication_key text COLLATE "C", trace_context text,
  -- 'blocked' or 'failed' while the job is that, else NULL: changed by rare transitions only,
  -- so it may be indexed.
  set_aside text COLLATE "C",
  -- The deduplication key while the sequence is unfinished. NULL for jobs without a key.
  open_key text COLLATE "C",
  -- 'blocked', 'open' (pending or running), 'completed', 'failed', 'cancelled'.
  status text COLLATE "C" NOT NULL,
  -- Attempts and leases that have ended. A running job is in its attempt `attempt + 1`, under
  -- the lease version `lease_version + 1`.
  attempt integer NOT NULL DEFAULT 0, lease_version integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz, finished_at timestamptz, continued_to_id uuid,
    sequence_outcome text COLLATE "C",
  completed_by text, last_attempt_error text, output text
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1);
CREATE UNIQUE INDEX job_ordinal ON job (ordinal);
CREATE UNIQUE INDEX job_continuation ON job (sequence_id, position) WHERE position > 0;
CREATE INDEX job_tree ON job (root_sequence_id) WHERE position = 0 AND id <> root_sequence_id;
CREATE INDEX job_open_key ON job (type_name, open_key) WHERE open_key IS NOT NULL;
CREATE INDEX job_key ON job (type_name, deduplication_key, ordinal)
  WHERE deduplication_key IS NOT NULL;
CREATE INDEX job_set_aside ON job (set_aside, type_name, ordinal) WHERE set_aside IS NOT NULL;
-- Never updated: inserted with the statement that makes a job pending, deleted by the one that
-- ends that.
CREATE TABLE ready (
  scheduled_at timestamptz NOT NULL, ordinal bigint NOT NULL, priority integer NOT NULL,
    job_id uuid NOT NULL, type_name text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 1);
CREATE UNIQUE INDEX ready_order ON ready (type_name, priority DESC, scheduled_at, ordinal);
-- The jobs of one acquisition and type. An entry is held while its job is open and has its lease
-- version less one; otherwise it is dead.
CREATE TABLE lease (
  leased_until timestamptz NOT NULL, acquired_at timestamptz NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
  worker text NOT NULL, job_ids uuid[] NOT NULL, lease_versions integer[] NOT NULL,
  PRIMARY KEY (leased_until, id)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE lease ALTER COLUMN job_ids SET STORAGE EXTERNAL;
ALTER TABLE lease ALTER COLUMN lease_versions SET STORAGE EXTERNAL;
CREATE TABLE job_blocker (job_id uuid NOT NULL, blocker_sequence_id uuid NOT NULL,
  index integer NOT NULL, PRIMARY KEY (job_id, index));
CREATE INDEX job_blocker_sequence ON job_blocker (blocker_sequence_id, job_id);

-- The lease of each running job, for reads. Cost: the live rows of lease.
CREATE VIEW held AS SELECT u.job_id, u.lease_version, l.worker, l.acquired_at, l.leased_until,
  l.id AS lease_id
  FROM lease l CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (job_id, lease_version)
  JOIN job j ON j.id = u.job_id AND j.status = 'open' AND j.lease_version = u.lease_version - 1;

CREATE FUNCTION create_jobs(p_ids uuid[], p_types text[], p_blocked boolean[], p_at timestamptz[])
  RETURNS void LANGUAGE sql AS $$
  WITH c AS (INSERT INTO job AS j (id, type_name, sequence_id, sequence_type_name,
    sequence_created_at, root_sequence_id, position, status, set_aside, input, priority,
    on_blocker_failure, created_at, scheduled_at)
    SELECT u.id, u.t, u.id, u.t, clock_timestamp(), u.id, 0, CASE WHEN u.b THEN 'blocked'
      ELSE 'open' END, CASE WHEN u.b THEN 'blocked' END, '{}', 0, 'wait', clock_timestamp(),
      coalesce(u.at, clock_timestamp())
    FROM unnest(p_ids, p_types, p_blocked, p_at) WITH ORDINALITY AS u (id, t, b, at, n) ORDER BY u.n
      RETURNING j.*)
  INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT c.type_name, c.priority, c.scheduled_at, c.ordinal, c.id FROM c WHERE c.status = 'open'
$$;
-- Skips locked rows, locks no job, and waits for no lock. p_done: the keys of leases that the worker
-- takes for settled; they are checked.
CREATE FUNCTION acquire_jobs(p_worker text, p_type text, p_limit int, p_lease_ms float8,
  p_done_until timestamptz[], p_done_ids bigint[])
RETURNS TABLE (id uuid, attempt int, lease_version int, lease_until timestamptz, lease_id bigint)
  LANGUAGE plpgsql AS $$
DECLARE v_now timestamptz := clock_timestamp(); v_places tid[] := '{}'; v_found tid[]; v_priority
  bigint := 2147483648; v_next int; v_head timestamptz;
BEGIN
  IF cardinality(p_done_ids) > 0 THEN
    DELETE FROM lease l WHERE (l.leased_until, l.id) IN (SELECT s.leased_until, s.id FROM lease s
      JOIN unnest(p_done_until, p_done_ids) AS d (u, i) ON s.leased_until = d.u AND s.id = d.i FOR
      UPDATE OF s SKIP LOCKED)
      AND NOT EXISTS (SELECT FROM unnest(l.job_ids, l.lease_versions) AS u (id, v)
        JOIN job j ON j.id = u.id AND j.status = 'open' AND j.lease_version = u.v - 1);
  END IF;
  LOOP -- one ordered probe per priority
    SELECT r.priority, r.scheduled_at INTO v_next, v_head FROM ready r WHERE r.type_name = p_type
      AND r.priority < v_priority ORDER BY r.priority DESC, r.scheduled_at, r.ordinal LIMIT 1;
    EXIT WHEN NOT FOUND; v_priority := v_next; CONTINUE WHEN v_head > v_now;
    v_found := ARRAY(SELECT r.ctid FROM ready r WHERE r.type_name = p_type
      AND r.priority = v_priority AND r.scheduled_at >= v_head AND r.scheduled_at <= v_now
      ORDER BY r.scheduled_at, r.ordinal LIMIT p_limit - cardinality(v_places) FOR
        UPDATE SKIP LOCKED);
    v_places := v_places || v_found; EXIT WHEN cardinality(v_places) >= p_limit;
  END LOOP;
  IF v_places = '{}' THEN RETURN; END IF;
  RETURN QUERY WITH t AS MATERIALIZED (DELETE FROM ready r WHERE r.ctid = ANY(v_places)
    RETURNING r.job_id),
    f AS MATERIALIZED (SELECT j.id, j.attempt + 1 AS attempt, j.lease_version + 1 AS lease_version
      FROM t JOIN job j ON j.id = t.job_id),
    a AS (INSERT INTO lease (leased_until, acquired_at, worker, job_ids, lease_versions)
      SELECT v_now + p_lease_ms * interval '1 ms', v_now, p_worker, array_agg(f.id),
      array_agg(f.lease_version) FROM f HAVING count(*) > 0 RETURNING lease.leased_until, lease.id)
  SELECT f.id, f.attempt, f.lease_version, a.leased_until, a.id FROM f CROSS JOIN a;
END $$;
-- The usual completion, one UPDATE: jobs of sequences of one, without dependants. The server checks
-- the condition again under the lock of the row. Elements that are not returned go to the routine.
-- To be written as a function with pinned plans and a subtransaction, as `complete_job` is.
PREPARE complete_plain (uuid[], int[], text[], timestamptz[], text) AS
  UPDATE job j SET status = 'completed', output = u.output, finished_at = clock_timestamp(),
    completed_by = $5, last_attempt_at = u.acquired_at, attempt = j.attempt + 1,
    lease_version = u.v, sequence_outcome = 'completed', open_key = NULL
  FROM (SELECT * FROM unnest($1, $2, $3, $4) AS u (id, v, output, acquired_at) ORDER BY u.id) u
  WHERE j.id = u.id AND j.status = 'open' AND j.lease_version = u.v - 1 AND j.position = 0
    AND j.dependants = 0 RETURNING j.id;
DEALLOCATE complete_plain;
-- One job: without unnest, whose estimate makes the server plan the statement on each call.
PREPARE complete_one (uuid, int, text, timestamptz, text) AS
  UPDATE job j SET status = 'completed', output = $3, finished_at = clock_timestamp(),
    completed_by = $5, last_attempt_at = $4, attempt = j.attempt + 1, lease_version = $2,
    sequence_outcome = 'completed', open_key = NULL
  WHERE j.id = $1 AND j.status = 'open' AND j.lease_version = $2 - 1 AND j.position = 0
    AND j.dependants = 0 RETURNING j.id;
DEALLOCATE complete_one;
CREATE FUNCTION complete_jobs(p_ids uuid[], p_versions int[]) RETURNS SETOF uuid
  LANGUAGE plpgsql AS $$
DECLARE v_lock uuid[]; v_done uuid[];
BEGIN -- (the retry loop of locks.ts, abridged: locks jobs and dependants in one order, then writes)
  v_lock := p_ids || ARRAY(SELECT b.job_id FROM job_blocker b
    WHERE b.blocker_sequence_id = ANY(p_ids));
  PERFORM 1 FROM (SELECT j.id FROM job j WHERE j.id = ANY(v_lock) ORDER BY j.id FOR NO KEY
    UPDATE) x;
  WITH c AS (UPDATE job j SET status = 'completed', output = 'null',
    finished_at = clock_timestamp(), attempt = j.attempt + 1, lease_version = u.v,
    sequence_outcome = 'completed', open_key = NULL
    FROM unnest(p_ids, p_versions) AS u (id, v) WHERE j.id = u.id AND j.status = 'open'
      AND j.lease_version = u.v - 1 RETURNING j.id)
  SELECT coalesce(array_agg(c.id), '{}') INTO v_done FROM c;
  -- Release: the update decides, the rows it makes pending go to ready in the same statement.
  WITH r AS (UPDATE job j SET incomplete_blockers = j.incomplete_blockers - d.n,
      status = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.n THEN 'open'
        ELSE j.status END,
      set_aside = CASE WHEN j.status = 'blocked' AND j.incomplete_blockers = d.n THEN NULL
        ELSE j.set_aside END
    FROM (SELECT b.job_id, count(DISTINCT b.blocker_sequence_id)::int AS n FROM job_blocker b
      WHERE b.blocker_sequence_id = ANY(v_done) GROUP BY b.job_id ORDER BY b.job_id) d
    WHERE j.id = d.job_id RETURNING j.*)
  INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT r.type_name, r.priority, r.scheduled_at, r.ordinal, r.id FROM r WHERE r.status = 'open'
    AND r.incomplete_blockers = 0;
  RETURN QUERY SELECT unnest(v_done);
END $$;
CREATE FUNCTION reschedule_jobs(p_ids uuid[], p_versions int[], p_after_ms float8, p_uncounted int)
  RETURNS SETOF uuid LANGUAGE sql AS $$
  WITH l AS MATERIALIZED (SELECT j.id FROM job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY
    UPDATE),
  c AS (UPDATE job j SET attempt = j.attempt + 1 - p_uncounted, lease_version = u.v,
    scheduled_at = coalesce(clock_timestamp() + p_after_ms * interval '1 ms', j.scheduled_at)
    FROM unnest(p_ids, p_versions) AS u (id, v), l WHERE l.id = u.id AND j.id = l.id
      AND j.status = 'open' AND j.lease_version = u.v - 1 RETURNING j.*),
  r AS (INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT c.type_name, c.priority, c.scheduled_at, c.ordinal, c.id FROM c)
  SELECT c.id FROM c $$;
CREATE FUNCTION fail_jobs(p_ids uuid[], p_versions int[]) RETURNS SETOF uuid LANGUAGE sql AS $$
  UPDATE job j SET status = 'failed', set_aside = 'failed', sequence_outcome = 'failed',
    open_key = NULL, finished_at = clock_timestamp(), attempt = j.attempt + 1, lease_version = u.v
  FROM (SELECT * FROM unnest(p_ids, p_versions) AS u (id, v) ORDER BY u.id) u WHERE j.id = u.id
    AND j.status = 'open' AND j.lease_version = u.v - 1 RETURNING j.id $$;
-- Renewing moves the entries that are held and asked for to a new row. The rows are locked, so
-- reclaiming passes by.
CREATE FUNCTION renew_leases(p_worker text, p_ids uuid[], p_versions int[], p_lease_ms float8)
  RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE v_now timestamptz := clock_timestamp(); v_lease record; v_moved uuid[] := '{}'; v_moved_v
  int[] := '{}'; v_at timestamptz;
BEGIN
  FOR v_lease IN SELECT l.* FROM lease l WHERE l.job_ids && p_ids ORDER BY l.leased_until, l.id FOR
    UPDATE SKIP LOCKED LOOP
    v_moved := '{}'; v_moved_v := '{}';
    SELECT coalesce(array_agg(e.id), '{}'), coalesce(array_agg(e.v), '{}') INTO v_moved, v_moved_v
      FROM unnest(v_lease.job_ids, v_lease.lease_versions) AS e (id, v)
      JOIN unnest(p_ids, p_versions) AS a (id, v) ON a.id = e.id AND a.v = e.v
        JOIN job j ON j.id = e.id AND j.status = 'open' AND j.lease_version = e.v - 1;
    CONTINUE WHEN v_moved = '{}';
    DELETE FROM lease l WHERE l.leased_until = v_lease.leased_until AND l.id = v_lease.id;
    INSERT INTO lease (leased_until, acquired_at, worker, job_ids, lease_versions)
      VALUES (greatest(v_lease.leased_until, v_now + p_lease_ms * interval '1 ms'),
      v_lease.acquired_at, v_lease.worker, v_moved, v_moved_v);
    INSERT INTO lease (leased_until, acquired_at, worker, job_ids, lease_versions)
      SELECT v_lease.leased_until, v_lease.acquired_at, v_lease.worker, array_agg(e.id),
        array_agg(e.v) FROM unnest(v_lease.job_ids, v_lease.lease_versions) AS e (id, v)
        WHERE NOT e.id = ANY(v_moved) HAVING count(*) > 0;
    RETURN QUERY SELECT unnest(v_moved);
  END LOOP;
END $$;
CREATE FUNCTION reclaim_expired_leases(p_limit int) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE v_lease record; v_back uuid[]; v_left uuid[]; v_left_v int[];
BEGIN
  FOR v_lease IN SELECT l.* FROM lease l WHERE l.leased_until <= clock_timestamp()
    ORDER BY l.leased_until, l.id LIMIT p_limit FOR UPDATE SKIP LOCKED LOOP
    WITH l AS MATERIALIZED (SELECT j.id, u.v
      FROM unnest(v_lease.job_ids, v_lease.lease_versions) AS u (id, v) JOIN job j ON j.id = u.id
        WHERE j.status = 'open' AND j.lease_version = u.v - 1 ORDER BY j.id FOR NO KEY
          UPDATE OF j SKIP LOCKED),
    c AS (UPDATE job j SET attempt = j.attempt + 1, lease_version = l.v,
      last_attempt_at = v_lease.acquired_at, last_attempt_error = 'The lease of worker ' ||
      v_lease.worker || ' expired' FROM l WHERE j.id = l.id RETURNING j.*),
    r AS (INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
      SELECT c.type_name, c.priority, c.scheduled_at, c.ordinal, c.id FROM c)
    SELECT coalesce(array_agg(c.id), '{}') INTO v_back FROM c;
    -- Held still: their holder's transaction has them locked, and is about to settle.
    SELECT array_agg(u.id), array_agg(u.v) INTO v_left, v_left_v
      FROM unnest(v_lease.job_ids, v_lease.lease_versions) AS u (id, v) JOIN job j ON j.id = u.id
      AND j.status = 'open' AND j.lease_version = u.v - 1;
    IF v_left IS NULL THEN DELETE FROM lease l WHERE l.leased_until = v_lease.leased_until
      AND l.id = v_lease.id;
    ELSE UPDATE lease l SET job_ids = v_left, lease_versions = v_left_v
      WHERE l.leased_until = v_lease.leased_until AND l.id = v_lease.id; END IF;
    RETURN QUERY SELECT unnest(v_back);
  END LOOP;
END $$;
-- Job first, then its ready row: acquisitions hold ready rows only while they wait for nothing.
CREATE FUNCTION trigger_jobs(p_ids uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE v_ids uuid[];
BEGIN
  PERFORM 1 FROM (SELECT j.id FROM job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE) x;
  WITH d AS (DELETE FROM ready r USING job j WHERE j.id = ANY(p_ids) AND j.status = 'open'
    AND r.type_name = j.type_name AND r.priority = j.priority AND r.scheduled_at = j.scheduled_at
    AND r.ordinal = j.ordinal RETURNING r.*),
  c AS (UPDATE job j SET scheduled_at = least(j.scheduled_at, clock_timestamp()) FROM d
    WHERE j.id = d.job_id RETURNING j.*),
  i AS (INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT c.type_name, c.priority, c.scheduled_at, c.ordinal, c.id FROM c)
  SELECT coalesce(array_agg(c.id), '{}') INTO v_ids FROM c;
  RETURN QUERY SELECT unnest(v_ids);
END $$;
-- Any write of a worker-less caller that ends "pending" (external completion, cancel, delete):
-- the job's row, then its ready row.
CREATE FUNCTION complete_externally(p_ids uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE v_ids uuid[];
BEGIN
  PERFORM 1 FROM (SELECT j.id FROM job j WHERE j.id = ANY(p_ids) ORDER BY j.id FOR NO KEY UPDATE) x;
  WITH c AS (UPDATE job j SET status = 'completed', set_aside = NULL,
    sequence_outcome = 'completed', open_key = NULL, finished_at = clock_timestamp()
    WHERE j.id = ANY(p_ids) AND j.status IN ('open', 'blocked') RETURNING j.*)
  SELECT coalesce(array_agg(c.id), '{}') INTO v_ids FROM c;
  DELETE FROM ready r USING job j WHERE j.id = ANY(v_ids) AND r.type_name = j.type_name
    AND r.priority = j.priority AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal;
  RETURN QUERY SELECT unnest(v_ids);
END $$;

-- ── reads ─────────────────────────────────────────────────────────────────────────────────────
-- ─────────────────────
-- getJobs, getSequences, listJobs, listSequences: one statement, so one snapshot, in which an open
-- job has its ready row or a held entry. Only the open jobs of the page are looked up. Filter "pending"/"running"
-- of a list: status = 'open' AND [NOT] the first EXISTS.
PREPARE get_jobs (uuid[]) AS
  SELECT j.*, CASE WHEN j.status <> 'open' THEN j.status WHEN h.acquired_at IS NULL THEN 'pending'
    ELSE 'running' END AS shown_status,
    j.attempt + (h.acquired_at IS NOT NULL)::int AS shown_attempt,
      j.lease_version + (h.acquired_at IS NOT NULL)::int AS shown_lease_version,
    h.worker AS leased_by, h.leased_until, coalesce(h.acquired_at,
      j.last_attempt_at) AS shown_last_attempt_at
  FROM unnest($1) WITH ORDINALITY AS u (id, n) JOIN job j ON j.id = u.id
  LEFT JOIN LATERAL (SELECT l.worker, l.leased_until, l.acquired_at FROM lease l
    WHERE j.status = 'open'
      AND NOT EXISTS (SELECT FROM ready r WHERE r.type_name = j.type_name
        AND r.priority = j.priority AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal)
      AND l.job_ids @> ARRAY[j.id] AND l.lease_versions[array_position(l.job_ids,
        j.id)] = j.lease_version + 1 LIMIT 1) h ON true ORDER BY u.n;
DEALLOCATE get_jobs;
-- listJobs({ statuses: ["running"] }) alone: from the leases, sorted; never a walk over finished
-- jobs.
PREPARE list_running (bigint, int) AS
  SELECT j.*, h.worker, h.leased_until FROM held h JOIN job j ON j.id = h.job_id
    WHERE j.ordinal > $1 ORDER BY j.ordinal LIMIT $2;
DEALLOCATE list_running;
PREPARE summarize (float8) AS
  SELECT 'count' AS kind, r.type_name, 'pending' AS status, count(*)::float8 AS value,
    date_part('epoch', clock_timestamp() - min(r.scheduled_at)) * 1000 AS oldest_ms FROM ready r
    GROUP BY r.type_name
  UNION ALL SELECT 'count', j.type_name, 'running', count(*), NULL FROM held h
    JOIN job j ON j.id = h.job_id GROUP BY j.type_name
  UNION ALL SELECT 'count', j.type_name, j.set_aside, count(*), NULL FROM job j
    WHERE j.set_aside IS NOT NULL GROUP BY j.type_name, j.set_aside
  UNION ALL SELECT 'blocked_by_failed', NULL, NULL, count(DISTINCT w.id), NULL FROM job f
    JOIN job_blocker b ON b.blocker_sequence_id = f.sequence_id JOIN job w ON w.id = b.job_id
    AND w.status = 'blocked' WHERE f.set_aside = 'failed'
  UNION ALL SELECT 'expired', NULL, NULL, count(*), NULL FROM held h
    WHERE h.leased_until <= clock_timestamp()
  UNION ALL SELECT 'running_long', NULL, NULL, count(*), NULL FROM held h
    WHERE h.acquired_at < clock_timestamp() - $1 * interval '1 ms';
DEALLOCATE summarize;

-- Writes of the routines of 2843d6b, with their changes.
-- Continuation by value: the jobs that follow are stored with their ready rows by the statement
-- that completes.
PREPARE continue_jobs (uuid[], int[], uuid[], text[], text[], text) AS
  WITH c AS (UPDATE job j SET status = 'completed', continued_to_id = u.next_id,
    finished_at = clock_timestamp(), completed_by = $6, attempt = j.attempt + 1, lease_version = u.v
    FROM (SELECT * FROM unnest($1, $2, $3, $4, $5) AS u (id, v, next_id, next_type, next_input)
      ORDER BY u.id) u
    WHERE j.id = u.id AND j.status = 'open' AND j.lease_version = u.v - 1
      RETURNING j.*, u.next_id, u.next_type, u.next_input),
  n AS (INSERT INTO job AS j (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, origin_id, position, status, input, priority, on_blocker_failure, created_at,
    scheduled_at)
    SELECT c.next_id, c.next_type, c.sequence_id, c.sequence_type_name, c.sequence_created_at,
      c.root_sequence_id, c.id, c.position + 1, 'open', c.next_input, 0, 'wait', clock_timestamp(),
      clock_timestamp() FROM c
    RETURNING j.type_name, j.priority, j.scheduled_at, j.ordinal, j.id),
  r AS (INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT n.type_name, n.priority, n.scheduled_at, n.ordinal, n.id FROM n)
  SELECT c.id, n.ordinal FROM c LEFT JOIN n ON n.id = c.next_id;
DEALLOCATE continue_jobs;
-- retryFailedJobs, the last step of `retryOne`:
PREPARE retry_one (uuid) AS
  WITH c AS (UPDATE job j SET status = CASE WHEN j.incomplete_blockers > 0 THEN 'blocked'
    ELSE 'open' END, set_aside = CASE WHEN j.incomplete_blockers > 0 THEN 'blocked' END,
      attempt = 0, scheduled_at = clock_timestamp(), finished_at = NULL WHERE j.id = $1
        AND j.status = 'failed' RETURNING j.*),
  r AS (INSERT INTO ready (type_name, priority, scheduled_at, ordinal, job_id)
    SELECT c.type_name, c.priority, c.scheduled_at, c.ordinal, c.id FROM c WHERE c.status = 'open')
  SELECT c.id, c.status FROM c;
DEALLOCATE retry_one;
-- deleteSequences: after the jobs of the trees are locked FOR UPDATE by id, and before they are
-- deleted. Entries of leases that name them die by themselves.
PREPARE delete_ready (uuid[]) AS
  DELETE FROM ready r USING job j WHERE j.id = ANY($1) AND j.status = 'open'
    AND r.type_name = j.type_name AND r.priority = j.priority AND r.scheduled_at = j.scheduled_at
    AND r.ordinal = j.ordinal;
DEALLOCATE delete_ready;
-- deleteFinishedSequences: the same text; `status <> 'running'` goes (the index on ordinal has no
-- predicate); trees with an open or blocked job are kept as before.
-- lockSequences: the same text, then the ready rows of the current jobs FOR UPDATE, so that an
-- acquisition passes by.
PREPARE lock_ready (uuid[]) AS
  SELECT 1 FROM ready r JOIN job j ON r.type_name = j.type_name AND r.priority = j.priority
    AND r.scheduled_at = j.scheduled_at AND r.ordinal = j.ordinal WHERE j.id = ANY($1) ORDER BY j.id
    FOR UPDATE OF r;
DEALLOCATE lock_ready;
-- An invariant for tests, the torture and `checkSchema`: no open job without exactly one of a
-- ready row and a held entry.
CREATE VIEW stray_job AS SELECT j.id FROM job j WHERE j.status = 'open' AND (SELECT count(*)
  FROM ready r WHERE r.job_id = j.id) + (SELECT count(*) FROM held h WHERE h.job_id = j.id) <> 1;
