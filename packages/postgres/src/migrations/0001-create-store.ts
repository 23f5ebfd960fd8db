// Tables and indexes of the first release. A released migration never changes: add another one instead.

export const createStore = {
  name: "0001-create-store",
  // `{schema}` is the quoted name of the schema, `{id}` the SQL type of ids.
  sql: [
    // First the columns that never change, fixed widths and NOT NULL before the rest; then those that the updates of a job
    // change. For a row that stays on its page, the log contains only the bytes between its first and last change.
    // Compared text has the collation "C": byte order is the same on every machine, and the index survives an upgrade of
    // the system's locales.
    //
    // The row is written at the start, and once at the end of each attempt. No index and no predicate covers a column
    // that acquiring, completing or rescheduling an ordinary job changes, so that update stays on its page (HOT).
    `CREATE TABLE {schema}.job (
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  sequence_created_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  scheduled_at timestamptz NOT NULL,
  position integer NOT NULL,
  priority integer NOT NULL,
  -- How many distinct sequences the job still waits for. Changed only under the lock of this row.
  incomplete_blockers integer NOT NULL DEFAULT 0,
  -- On the first job of a sequence: how many jobs ever waited for the sequence. Adding a blocker writes this column and the
  -- end of the sequence writes sequence_outcome: at any isolation level, neither misses the other.
  dependants integer NOT NULL DEFAULT 0,
  id {id} PRIMARY KEY,
  sequence_id {id} NOT NULL,
  root_sequence_id {id} NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  sequence_type_name text COLLATE "C" NOT NULL,
  -- 'wait' or 'fail'.
  on_blocker_failure text COLLATE "C" NOT NULL,
  -- JSON as text: keys keep their order, numbers their digits, and an escaped NUL is allowed.
  input text NOT NULL,
  origin_id {id},
  deduplication_key text COLLATE "C",
  trace_context text,
  -- The status of a blocked or failed job, and NULL for all others: an index of few rows.
  set_aside text COLLATE "C",
  -- On the first job of an unfinished sequence with a key: the key.
  open_key text COLLATE "C",
  -- When the last blocker ended. NULL for a job that never waited for one.
  released_at timestamptz,
  -- 'blocked', 'open', 'completed', 'failed' or 'cancelled'. An open job is pending if it has a row in "ready", and running
  -- if a row of "lease" holds it. Only the routines write it. A CHECK would cost a twentieth of a job.
  status text COLLATE "C" NOT NULL,
  -- The attempts and the leases that have ended. A running job is in one attempt more, under a lease version of one more.
  attempt integer NOT NULL DEFAULT 0,
  lease_version integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  finished_at timestamptz,
  continued_to_id {id},
  -- On the first job of a sequence: 'completed' or 'failed', as the sequence ended; NULL before that.
  sequence_outcome text COLLATE "C",
  completed_by text,
  last_attempt_error text,
  output text
) WITH (
  -- The update of a job finds room on its page. The row grows by a quarter: 82 % of the updates stayed on their page with 50.
  fillfactor = 45,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
)`,
    // listJobs, listSequences, deleteFinishedSequences: pages in the order of creation.
    `CREATE UNIQUE INDEX job_ordinal ON {schema}.job (ordinal)`,
    // The current job of a sequence. First jobs are found by their id, which is the id of the sequence.
    `CREATE UNIQUE INDEX job_continuation ON {schema}.job (sequence_id, position) WHERE position > 0`,
    // First jobs of the tree of a root, without the root's own. Continuations are found by job_continuation.
    `CREATE INDEX job_tree ON {schema}.job (root_sequence_id)
  WHERE position = 0 AND id <> root_sequence_id`,
    // createJobs: the newest sequence that has a key, and the newest unfinished one.
    `CREATE INDEX job_deduplication ON {schema}.job (type_name, deduplication_key, ordinal)
  WHERE deduplication_key IS NOT NULL`,
    `CREATE INDEX job_open_key ON {schema}.job (type_name, open_key, ordinal)
  WHERE open_key IS NOT NULL`,
    // summarize, listJobs: blocked and failed jobs, without reading completed ones.
    `CREATE INDEX job_set_aside ON {schema}.job (set_aside, type_name, ordinal)
  WHERE set_aside IS NOT NULL`,
    // A row for each pending job, inserted with the statement that makes it pending. The acquisition deletes it: the
    // deletion is exclusive. Never updated, so that SKIP LOCKED never waits for a row of it.
    `CREATE TABLE {schema}.ready (
  scheduled_at timestamptz NOT NULL,
  ordinal bigint NOT NULL,
  priority integer NOT NULL,
  -- Whether the job was due when it became pending. Such a job stays due if the clock is set back.
  is_due boolean NOT NULL,
  job_id {id} NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  released_at timestamptz
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
)`,
    // acquireJobs: one ordered probe for each type and priority.
    `CREATE UNIQUE INDEX ready_order ON {schema}.ready (type_name, priority DESC, scheduled_at, ordinal)`,
    // A row for each acquisition and type. An entry holds its job while the job is open and its stored lease version is
    // that of the entry less one. Each end of an attempt raises the stored version, so the entry is dead for ever. A row
    // is deleted when all its entries are dead.
    `CREATE TABLE {schema}.lease (
  leased_until timestamptz NOT NULL,
  -- When the jobs were acquired, and when the end of the lease was set.
  acquired_at timestamptz NOT NULL,
  set_at timestamptz NOT NULL,
  -- Of the jobs: a search for one job compares few arrays.
  first_ordinal bigint NOT NULL,
  last_ordinal bigint NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  worker_id text NOT NULL,
  job_ids {id}[] NOT NULL,
  lease_versions integer[] NOT NULL
) WITH (
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 200,
  autovacuum_vacuum_cost_delay = 1
)`,
    // Uncompressed: ids do not compress, and reads compare all of them.
    `ALTER TABLE {schema}.lease ALTER COLUMN job_ids SET STORAGE EXTERNAL`,
    `ALTER TABLE {schema}.lease ALTER COLUMN lease_versions SET STORAGE EXTERNAL`,
    // acquireJobs, reclaimExpiredLeases: expired leases, the oldest first. Two leases may end at the same moment.
    `CREATE INDEX lease_until ON {schema}.lease (leased_until)`,
    `CREATE TABLE {schema}.job_blocker (
  job_id {id} NOT NULL,
  blocker_sequence_id {id} NOT NULL,
  index integer NOT NULL,
  PRIMARY KEY (job_id, index)
)`,
    `CREATE INDEX job_blocker_sequence ON {schema}.job_blocker (blocker_sequence_id, job_id)`,
    // One row to lock for each key in use: a transaction that starts or retries a sequence with the key writes it first.
    `CREATE TABLE {schema}.deduplication (
  type_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  touched_at timestamptz NOT NULL,
  PRIMARY KEY (type_name, key)
) WITH (fillfactor = 70)`,
    // One row: the identity of the store, which is part of the names of its notification channels.
    `CREATE TABLE {schema}.store (id text COLLATE "C" PRIMARY KEY)`,
    `INSERT INTO {schema}.store (id) SELECT replace(gen_random_uuid()::text, '-', '')`,
    // The installed routines, and the newest version of the routines to which each belongs.
    `CREATE TABLE {schema}.routine (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  version integer NOT NULL
)`,
  ],
} as const;
