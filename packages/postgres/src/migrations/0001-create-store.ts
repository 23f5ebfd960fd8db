// Tables and indexes of the first release. A released migration never changes: add another one instead.

export const createStore = {
  name: "0001-create-store",
  // `{schema}` is the quoted name of the schema, `{id}` the SQL type of ids.
  sql: [
    // First the columns that never change, fixed widths and NOT NULL before the rest; then those that the updates of a job
    // change. For a row that stays on its page, the log contains only the bytes between its first and last change. Every
    // update compares the indexed columns. Compared text has the collation "C": byte order is the same on every
    // machine, and the index survives an upgrade of the system's locales.
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
  -- 'blocked', 'pending', 'running', 'completed' or 'failed'. Only the routines write it. A CHECK would cost a twentieth of
  -- a job, since each job is updated twice.
  status text COLLATE "C" NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  lease_version integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  leased_until timestamptz,
  finished_at timestamptz,
  continued_to_id {id},
  -- On the first job of a sequence: 'completed' or 'failed', as the sequence ended; NULL before that.
  sequence_outcome text COLLATE "C",
  leased_by text,
  completed_by text,
  last_attempt_error text,
  output text,
  -- A running job always has a lease, and no other job has one.
  CHECK ((status = 'running') = (leased_until IS NOT NULL))
) WITH (
  -- Both updates of a job find room on its page. In the end that is less log and a smaller table than a full page.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
)`,
    // acquireJobs: one ordered probe for each type and priority.
    `CREATE INDEX job_ready ON {schema}.job (type_name, priority DESC, scheduled_at, ordinal)
  WHERE status = 'pending'`,
    // acquireJobs, reclaimExpiredLeases: the oldest lease first.
    `CREATE INDEX job_leased ON {schema}.job (leased_until) WHERE status = 'running'`,
    // listJobs, listSequences, deleteFinishedSequences: pages in the order of creation. Running jobs are few and are found
    // by their leases. Leaving them out saves each job one of three index entries.
    `CREATE UNIQUE INDEX job_ordinal ON {schema}.job (ordinal) WHERE status <> 'running'`,
    // The current job of a sequence. First jobs are found by their id, which is the id of the sequence.
    `CREATE UNIQUE INDEX job_continuation ON {schema}.job (sequence_id, position) WHERE position > 0`,
    // First jobs of the tree of a root, without the root's own. Continuations are found by job_continuation.
    `CREATE INDEX job_tree ON {schema}.job (root_sequence_id)
  WHERE position = 0 AND id <> root_sequence_id`,
    // createJobs: the sequence that has a key.
    `CREATE INDEX job_deduplication
  ON {schema}.job (type_name, deduplication_key, sequence_outcome, ordinal)
  WHERE deduplication_key IS NOT NULL`,
    // summarize, listJobs: blocked and failed jobs, without reading completed ones.
    `CREATE INDEX job_blocked_or_failed ON {schema}.job (status, type_name, ordinal)
  WHERE status IN ('blocked', 'failed')`,
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
