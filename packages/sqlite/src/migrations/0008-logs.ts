// Lines that attempts logged, and the progress of jobs. Written at most once a second and client, never in the transaction of an
// attempt. A job that logs nothing has no rows.
export const logs = {
  name: "logs",
  sql: `
CREATE TABLE {prefix}job_log (
  job_id {id} NOT NULL REFERENCES {prefix}job (id) ON DELETE CASCADE,
  lease_version INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (job_id, lease_version, first_line)
) WITHOUT ROWID{,strict};
CREATE INDEX {prefix}job_log_age ON {prefix}job_log (stored_at);
CREATE TABLE {prefix}job_progress (
  job_id {id} NOT NULL PRIMARY KEY REFERENCES {prefix}job (id) ON DELETE CASCADE,
  lease_version INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  fraction REAL,
  note TEXT
) WITHOUT ROWID{,strict};
CREATE INDEX {prefix}job_progress_age ON {prefix}job_progress (stored_at);
`,
};
