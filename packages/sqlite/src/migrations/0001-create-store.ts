// Tables and indexes of the first release. A released migration never changes: add another one instead.

// `{prefix}` is the table prefix, `{id}` the SQL type of ids. `{strict}` is `STRICT` where ids are `TEXT`.
//
// A CHECK on status would cost a tenth of every write, and the statements write only the six statuses. AUTOINCREMENT
// would write one more page in every transaction that starts a job. The table `ordinal` prevents that an ordinal is
// given out twice. It is written only when jobs are deleted.
// The first job of a sequence has NULL in sequence_id, sequence_type_name and sequence_created_at, because they equal
// its own columns. The first job of a root has NULL in root_sequence_id too. Most jobs are such jobs, and the size of a
// row decides the cost.
// released_at is NULL in a job that never was blocked. The index of due jobs has it, so that a summary reads no rows.
// Every index serves a statement. It is partial if only a few rows matter to it, so that finished jobs cost nothing.
export const createStore = {
  name: "create-store",
  sql: `
CREATE TABLE {prefix}job (
  ordinal INTEGER PRIMARY KEY,
  id {id} NOT NULL UNIQUE,
  type_name TEXT NOT NULL,
  sequence_id {id},
  sequence_type_name TEXT,
  sequence_created_at INTEGER,
  root_sequence_id {id},
  origin_id {id},
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  scheduled_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  lease_version INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT,
  leased_until INTEGER,
  created_at INTEGER NOT NULL,
  last_attempt_at INTEGER,
  finished_at INTEGER,
  completed_by TEXT,
  completed_lease INTEGER,
  continued_to_id {id},
  on_blocker_failure TEXT NOT NULL,
  blocker_count INTEGER NOT NULL DEFAULT 0,
  incomplete_blocker_count INTEGER NOT NULL DEFAULT 0,
  released_at INTEGER,
  deduplication_key TEXT,
  deduplication_open INTEGER NOT NULL DEFAULT 0,
  trace_context TEXT,
  last_attempt_error TEXT,
  input TEXT NOT NULL,
  output TEXT
){strict};
CREATE INDEX {prefix}job_due ON {prefix}job (type_name, priority DESC, scheduled_at, ordinal, released_at)
  WHERE status = 'pending';
CREATE INDEX {prefix}job_leased ON {prefix}job (type_name, leased_until) WHERE status = 'running';
CREATE INDEX {prefix}job_blocked ON {prefix}job (type_name) WHERE status = 'blocked';
CREATE INDEX {prefix}job_failed ON {prefix}job (type_name) WHERE status = 'failed';
CREATE INDEX {prefix}job_continuation ON {prefix}job (sequence_id, position) WHERE position > 0;
CREATE INDEX {prefix}job_tree ON {prefix}job (root_sequence_id) WHERE root_sequence_id <> id;
CREATE INDEX {prefix}job_deduplication ON {prefix}job (type_name, deduplication_key)
  WHERE deduplication_key IS NOT NULL;
CREATE INDEX {prefix}job_deduplication_open ON {prefix}job (type_name, deduplication_key)
  WHERE deduplication_open = 1;
CREATE TABLE {prefix}ordinal (
  last INTEGER NOT NULL
) STRICT;
INSERT INTO {prefix}ordinal VALUES (0);
CREATE TABLE {prefix}store (
  id TEXT NOT NULL
) STRICT;
INSERT INTO {prefix}store VALUES (lower(hex(randomblob(8))));
CREATE TABLE {prefix}job_blocker (
  job_id {id} NOT NULL REFERENCES {prefix}job (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  blocker_sequence_id {id} NOT NULL REFERENCES {prefix}job (id) ON DELETE CASCADE,
  PRIMARY KEY (job_id, place)
) WITHOUT ROWID{,strict};
CREATE INDEX {prefix}job_blocker_sequence ON {prefix}job_blocker (blocker_sequence_id, job_id);
`,
};
