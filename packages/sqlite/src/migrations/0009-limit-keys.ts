// Limits by key. A job under a key is in indexes of its own, so that a plain acquisition never meets it.
//
// `limit_turn` has a row for each key of a limit with jobs of a type that wait or run. `look_at` is NULL while the key is in the
// line of those to look at; `turn` is its place there. Otherwise nothing can start before `look_at`. `used` counts the jobs of its weight
// that it has started in this turn. The triggers put a key back
// into the line when a statement makes a job of it pending, or ends an attempt. They name columns that the frequent statements do not
// write, because a trigger on `status` would cost each of them a tenth. Those are the INSERT (`steps/insert-job.ts`), completions and
// cancellations (`steps/wake-keys.ts`), which do it themselves.
// `limit_turn_last` has one row: the last place that an acquisition has given. A key that was out of the line comes back with the place
// of its last turn, so places never begin anew.
// `kept_back`: 1 if the key is full, 2 if it has no tokens, 0 otherwise.
export const limitKeys = {
  name: "limit-keys",
  sql: `
ALTER TABLE {prefix}job ADD COLUMN limit_name TEXT;
ALTER TABLE {prefix}job ADD COLUMN limit_key TEXT;
ALTER TABLE {prefix}job ADD COLUMN limit_cost INTEGER;
DROP INDEX {prefix}job_due;
-- With limit_key, which is NULL in all its rows, SQLite reads the index alone.
CREATE INDEX {prefix}job_due ON {prefix}job (type_name, priority DESC, scheduled_at, ordinal, released_at, limit_key)
  WHERE status = 'pending' AND limit_key IS NULL;
CREATE INDEX {prefix}job_key_due ON {prefix}job
  (type_name, limit_name, limit_key, priority DESC, scheduled_at, ordinal, released_at)
  WHERE limit_key IS NOT NULL AND status = 'pending';
CREATE INDEX {prefix}job_key_leased ON {prefix}job (limit_name, limit_key, leased_until, type_name)
  WHERE limit_key IS NOT NULL AND status = 'running';
-- 1: it has bounds for keys, or aging.
ALTER TABLE {prefix}job_limit ADD COLUMN orders_jobs INTEGER NOT NULL DEFAULT 0;
CREATE TABLE {prefix}limit_key (
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
CREATE TABLE {prefix}limit_turn (
  limit_name TEXT NOT NULL,
  key TEXT NOT NULL,
  type_name TEXT NOT NULL,
  look_at INTEGER,
  turn INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0,
  kept_back INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (limit_name, key, type_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE {prefix}limit_turn_last (last INTEGER NOT NULL) STRICT;
INSERT INTO {prefix}limit_turn_last (last) VALUES (0);
CREATE INDEX {prefix}limit_turn_line ON {prefix}limit_turn (type_name, look_at, limit_name, turn, used);
CREATE INDEX {prefix}limit_turn_kept_back ON {prefix}limit_turn (type_name, kept_back) WHERE kept_back > 0;
CREATE TRIGGER {prefix}job_key_pending AFTER UPDATE OF
  scheduled_at, released_at, last_attempt_error, blocker_count, limit_name, limit_key ON {prefix}job
WHEN NEW.limit_key IS NOT NULL AND NEW.status = 'pending' BEGIN
  INSERT INTO {prefix}limit_turn (limit_name, key, type_name, look_at, turn) VALUES (
    NEW.limit_name, NEW.limit_key, NEW.type_name, NEW.scheduled_at, (SELECT 1 + coalesce(max(last), 0) FROM {prefix}limit_turn_last))
  ON CONFLICT DO UPDATE SET look_at = min(look_at, excluded.look_at);
END;
CREATE TRIGGER {prefix}job_key_ended AFTER UPDATE OF scheduled_at, last_attempt_error ON {prefix}job
WHEN OLD.limit_key IS NOT NULL AND OLD.status = 'running' AND NEW.status <> 'running' BEGIN
  UPDATE {prefix}limit_turn SET look_at = NULL, kept_back = 0
  WHERE limit_name = OLD.limit_name AND key = OLD.limit_key;
END;
CREATE TRIGGER {prefix}job_key_deleted AFTER DELETE ON {prefix}job
WHEN OLD.limit_key IS NOT NULL AND OLD.status = 'running' BEGIN
  UPDATE {prefix}limit_turn SET look_at = NULL, kept_back = 0
  WHERE limit_name = OLD.limit_name AND key = OLD.limit_key;
END;
`,
};
