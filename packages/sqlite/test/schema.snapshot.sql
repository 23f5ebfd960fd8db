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
, blocked_until INTEGER, limit_name TEXT, limit_key TEXT, limit_cost INTEGER) STRICT;

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
  error TEXT NOT NULL, shares_error INTEGER NOT NULL DEFAULT 0,
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

CREATE INDEX queuert_job_deadline ON queuert_job (type_name, blocked_until)
  WHERE status = 'blocked' AND blocked_until IS NOT NULL;

CREATE INDEX queuert_job_deduplication ON queuert_job (type_name, deduplication_key)
  WHERE deduplication_key IS NOT NULL;

CREATE INDEX queuert_job_deduplication_open ON queuert_job (type_name, deduplication_key)
  WHERE deduplication_open = 1;

CREATE INDEX queuert_job_due ON queuert_job (type_name, priority DESC, scheduled_at, ordinal, released_at, limit_key)
  WHERE status = 'pending' AND limit_key IS NULL;

CREATE TRIGGER queuert_job_error_changed AFTER UPDATE OF last_attempt_error ON queuert_job
WHEN OLD.last_attempt_error <> coalesce(NEW.last_attempt_error, '') BEGIN
  UPDATE queuert_job_attempt SET error = substr(OLD.last_attempt_error, 1, 4000), shares_error = 0
  WHERE job_id = OLD.id AND shares_error = 1 AND lease_version < OLD.lease_version + (OLD.status <> 'running');
END;

CREATE INDEX queuert_job_failed ON queuert_job (type_name) WHERE status = 'failed';

CREATE TRIGGER queuert_job_key_deleted AFTER DELETE ON queuert_job
WHEN OLD.limit_key IS NOT NULL AND OLD.status = 'running' BEGIN
  UPDATE queuert_limit_turn SET look_at = NULL, kept_back = 0
  WHERE limit_name = OLD.limit_name AND key = OLD.limit_key;
END;

CREATE INDEX queuert_job_key_due ON queuert_job
  (type_name, limit_name, limit_key, priority DESC, scheduled_at, ordinal, released_at)
  WHERE limit_key IS NOT NULL AND status = 'pending';

CREATE TRIGGER queuert_job_key_ended AFTER UPDATE OF scheduled_at, last_attempt_error ON queuert_job
WHEN OLD.limit_key IS NOT NULL AND OLD.status = 'running' AND NEW.status <> 'running' BEGIN
  UPDATE queuert_limit_turn SET look_at = NULL, kept_back = 0
  WHERE limit_name = OLD.limit_name AND key = OLD.limit_key;
END;

CREATE INDEX queuert_job_key_leased ON queuert_job (limit_name, limit_key, leased_until, type_name)
  WHERE limit_key IS NOT NULL AND status = 'running';

CREATE TRIGGER queuert_job_key_pending AFTER UPDATE OF
  scheduled_at, released_at, last_attempt_error, blocker_count, limit_name, limit_key ON queuert_job
WHEN NEW.limit_key IS NOT NULL AND NEW.status = 'pending' BEGIN
  INSERT INTO queuert_limit_turn (limit_name, key, type_name, look_at, turn) VALUES (
    NEW.limit_name, NEW.limit_key, NEW.type_name, NEW.scheduled_at, (SELECT 1 + coalesce(max(last), 0) FROM queuert_limit_turn_last))
  ON CONFLICT DO UPDATE SET look_at = min(look_at, excluded.look_at);
END;

CREATE INDEX queuert_job_leased ON queuert_job (type_name, leased_until) WHERE status = 'running';

CREATE TABLE queuert_job_limit (
  name TEXT PRIMARY KEY,
  bounds TEXT NOT NULL,
  is_bounded INTEGER NOT NULL,
  declared_hash TEXT,
  revision INTEGER,
  -- When the tokens of the rate are back, in microseconds.
  back_at_us INTEGER,
  updated_at INTEGER NOT NULL
, orders_jobs INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE queuert_job_log (
  job_id TEXT NOT NULL REFERENCES queuert_job (id) ON DELETE CASCADE,
  lease_version INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (job_id, lease_version, first_line)
) WITHOUT ROWID, STRICT;

CREATE INDEX queuert_job_log_age ON queuert_job_log (stored_at);

CREATE TABLE queuert_job_progress (
  job_id TEXT NOT NULL PRIMARY KEY REFERENCES queuert_job (id) ON DELETE CASCADE,
  lease_version INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  fraction REAL,
  note TEXT
) WITHOUT ROWID, STRICT;

CREATE INDEX queuert_job_progress_age ON queuert_job_progress (stored_at);

CREATE INDEX queuert_job_tree ON queuert_job (root_sequence_id) WHERE root_sequence_id <> id;

CREATE TABLE queuert_limit_key (
  limit_name TEXT NOT NULL,
  key TEXT NOT NULL,
  bounds TEXT,
  paused_at INTEGER,
  paused_until INTEGER,
  pause_note TEXT,
  -- When the tokens of the rate are back, in microseconds.
  back_at_us INTEGER,
  PRIMARY KEY (limit_name, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE queuert_limit_turn (
  limit_name TEXT NOT NULL,
  key TEXT NOT NULL,
  type_name TEXT NOT NULL,
  look_at INTEGER,
  turn INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0,
  kept_back INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (limit_name, key, type_name)
) STRICT, WITHOUT ROWID;

CREATE INDEX queuert_limit_turn_kept_back ON queuert_limit_turn (type_name, kept_back) WHERE kept_back > 0;

CREATE TABLE queuert_limit_turn_last (last INTEGER NOT NULL) STRICT;

CREATE INDEX queuert_limit_turn_line ON queuert_limit_turn (type_name, look_at, limit_name, turn, used);

CREATE TABLE queuert_metric (
  step_ms INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type_name TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (step_ms, at, type_name)
) WITHOUT ROWID, STRICT;

CREATE TABLE queuert_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  usable_from INTEGER
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
, library_version TEXT) WITHOUT ROWID, STRICT;
