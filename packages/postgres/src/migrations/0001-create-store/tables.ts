import type { StoreNames } from "../../store-names.ts";

// First what never changes, fixed widths and no NULL before the rest; then what the updates of a job change. The log repeats
// of a row that stays on its page only what lies between its first and its last change, and every update looks at the
// columns that are indexed. Text that is compared has the collation "C": byte order, the same on every machine, and an
// index that survives an upgrade of the system's locales.
const jobTable = ({ schema, idType }: StoreNames): string => `
CREATE TABLE ${schema}.job (
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  sequence_created_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  scheduled_at timestamptz NOT NULL,
  position integer NOT NULL,
  priority integer NOT NULL,
  -- Distinct sequences this job waits for that have not completed. Changed only under this row's lock.
  incomplete_blockers integer NOT NULL DEFAULT 0,
  -- On the first job of a sequence: how many jobs were ever made to wait for it. Adding a blocker changes it, and so does
  -- the end of the sequence change sequence_outcome: the two cannot overlook each other at any isolation level.
  dependants integer NOT NULL DEFAULT 0,
  id ${idType} PRIMARY KEY,
  sequence_id ${idType} NOT NULL,
  root_sequence_id ${idType} NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  sequence_type_name text COLLATE "C" NOT NULL,
  -- 'wait' or 'fail'.
  on_blocker_failure text COLLATE "C" NOT NULL,
  -- JSON as text: nothing on the way reorders keys, rounds numbers or trips over an escaped NUL.
  input text NOT NULL,
  origin_id ${idType},
  deduplication_key text COLLATE "C",
  trace_context text,
  -- 'blocked', 'pending', 'running', 'completed', 'failed'. No CHECK for what only the routines write: at two updates for
  -- every job it costs a twentieth of the whole.
  status text COLLATE "C" NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  lease_version integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  leased_until timestamptz,
  finished_at timestamptz,
  continued_to_id ${idType},
  -- On the first job of a sequence: 'completed' or 'failed', as the sequence ended. NULL while it goes on.
  sequence_outcome text COLLATE "C",
  leased_by text,
  completed_by text,
  last_attempt_error text,
  output text,
  -- A running job always has a lease, and nothing else has one.
  CHECK ((status = 'running') = (leased_until IS NOT NULL))
) WITH (
  -- Both updates of a job find room on its page: less WAL, and a smaller table in the end, than with more on it at first.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
)`;

const indexes = ({ schema }: StoreNames): readonly string[] => [
  // acquireJobs: one ordered probe per type and priority.
  `CREATE INDEX job_ready ON ${schema}.job (type_name, priority DESC, scheduled_at, ordinal)
  WHERE status = 'pending'`,
  // acquireJobs, reclaimExpiredLeases: the oldest lease first.
  `CREATE INDEX job_leased ON ${schema}.job (leased_until) WHERE status = 'running'`,
  // listJobs, listSequences, deleteFinishedSequences: pages in the order of creation. Running jobs are few, and found by
  // their leases: that they are not in here saves every job one of three entries.
  `CREATE UNIQUE INDEX job_ordinal ON ${schema}.job (ordinal) WHERE status <> 'running'`,
  // The current job of a sequence. First jobs are found by their id, which is the sequence's.
  `CREATE UNIQUE INDEX job_continuation ON ${schema}.job (sequence_id, position) WHERE position > 0`,
  // The first jobs of a root's tree other than its own. Those that continue them are found by job_continuation.
  `CREATE INDEX job_tree ON ${schema}.job (root_sequence_id)
  WHERE position = 0 AND id <> root_sequence_id`,
  // createJobs: who stands for a key.
  `CREATE INDEX job_deduplication
  ON ${schema}.job (type_name, deduplication_key, sequence_outcome, ordinal)
  WHERE deduplication_key IS NOT NULL`,
  // summarize, listJobs: what waits and what failed, without a look at what completed.
  `CREATE INDEX job_blocked_or_failed ON ${schema}.job (status, type_name, ordinal)
  WHERE status IN ('blocked', 'failed')`,
];

const otherTables = ({ schema, idType }: StoreNames): readonly string[] => [
  `CREATE TABLE ${schema}.job_blocker (
  job_id ${idType} NOT NULL,
  blocker_sequence_id ${idType} NOT NULL,
  index integer NOT NULL,
  PRIMARY KEY (job_id, index)
)`,
  `CREATE INDEX job_blocker_sequence ON ${schema}.job_blocker (blocker_sequence_id, job_id)`,
  // A row to lock for each key in use: whoever starts or retries a sequence with the key writes it first.
  `CREATE TABLE ${schema}.deduplication (
  type_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  touched_at timestamptz NOT NULL,
  PRIMARY KEY (type_name, key)
) WITH (fillfactor = 70)`,
  // One row: the identity of the store, which the names of its notification channels carry.
  `CREATE TABLE ${schema}.store (id text COLLATE "C" PRIMARY KEY)`,
  `INSERT INTO ${schema}.store (id) SELECT replace(gen_random_uuid()::text, '-', '')`,
];

export const tables = (names: StoreNames): readonly string[] => [
  jobTable(names).trim(),
  ...indexes(names),
  ...otherTables(names),
];
