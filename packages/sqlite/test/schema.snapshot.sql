CREATE TABLE queuert_action (
  id TEXT NOT NULL PRIMARY KEY,
  action TEXT NOT NULL,
  user TEXT,
  filter TEXT,
  count INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  done INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID, STRICT;

CREATE TABLE queuert_job (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type_name TEXT NOT NULL,
  sequence_id TEXT,
  sequence_type_name TEXT,
  sequence_created_at INTEGER,
  root_sequence_id TEXT,
  origin_id TEXT,
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
  continued_to_id TEXT,
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
) STRICT;

CREATE TABLE queuert_job_attempt (
  job_id TEXT NOT NULL REFERENCES queuert_job (id) ON DELETE CASCADE,
  lease_version INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  worker_id TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  next_at INTEGER,
  error TEXT NOT NULL,
  PRIMARY KEY (job_id, lease_version)
) WITHOUT ROWID, STRICT;

CREATE INDEX queuert_job_blocked ON queuert_job (type_name) WHERE status = 'blocked';

CREATE TABLE queuert_job_blocker (
  job_id TEXT NOT NULL REFERENCES queuert_job (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  blocker_sequence_id TEXT NOT NULL REFERENCES queuert_job (id) ON DELETE CASCADE,
  PRIMARY KEY (job_id, place)
) WITHOUT ROWID, STRICT;

CREATE INDEX queuert_job_blocker_sequence ON queuert_job_blocker (blocker_sequence_id, job_id);

CREATE INDEX queuert_job_continuation ON queuert_job (sequence_id, position) WHERE position > 0;

CREATE INDEX queuert_job_deduplication ON queuert_job (type_name, deduplication_key)
  WHERE deduplication_key IS NOT NULL;

CREATE INDEX queuert_job_deduplication_open ON queuert_job (type_name, deduplication_key)
  WHERE deduplication_open = 1;

CREATE INDEX queuert_job_due ON queuert_job (type_name, priority DESC, scheduled_at, ordinal, released_at)
  WHERE status = 'pending';

CREATE INDEX queuert_job_failed ON queuert_job (type_name) WHERE status = 'failed';

CREATE INDEX queuert_job_leased ON queuert_job (type_name, leased_until) WHERE status = 'running';

CREATE INDEX queuert_job_tree ON queuert_job (root_sequence_id) WHERE root_sequence_id <> id;

CREATE TABLE queuert_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE queuert_ordinal (
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE queuert_pause (
  type_name TEXT PRIMARY KEY,
  paused_at INTEGER NOT NULL,
  paused_until INTEGER,
  note TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE queuert_schedule (
  name TEXT NOT NULL PRIMARY KEY,
  look_at INTEGER,
  is_declared INTEGER NOT NULL,
  definition TEXT NOT NULL
) STRICT;

CREATE INDEX queuert_schedule_declared ON queuert_schedule (name) WHERE is_declared = 1;

CREATE INDEX queuert_schedule_look ON queuert_schedule (look_at) WHERE look_at IS NOT NULL;

CREATE TABLE queuert_schedule_tick (
  schedule_name TEXT NOT NULL,
  tick_at INTEGER NOT NULL,
  is_manual INTEGER NOT NULL,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  sequence_id TEXT,
  fired_at INTEGER NOT NULL,
  PRIMARY KEY (schedule_name, tick_at, is_manual)
) WITHOUT ROWID, STRICT;

CREATE INDEX queuert_schedule_tick_fired ON queuert_schedule_tick (fired_at);

CREATE TABLE queuert_store (
  id TEXT NOT NULL
) STRICT;

CREATE TABLE queuert_worker (
  instance_id TEXT NOT NULL PRIMARY KEY,
  worker_id TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  machine TEXT,
  process_start TEXT,
  state TEXT NOT NULL,
  types TEXT NOT NULL,
  concurrency INTEGER NOT NULL,
  busy INTEGER NOT NULL,
  beat_ms INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  beat_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
