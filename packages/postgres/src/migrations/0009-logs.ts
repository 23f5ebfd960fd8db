// Lines that attempts logged, and the progress of jobs. A released migration never changes: add another one instead.
export const logs = {
  name: "0009-logs",
  sql: [
    // Written at most once a second and client, never in the transaction of an attempt. A job that logs nothing has no rows.
    `CREATE TABLE {schema}.job_log (
  job_id {id} NOT NULL,
  lease_version integer NOT NULL,
  first_line integer NOT NULL,
  attempt integer NOT NULL,
  stored_at timestamptz NOT NULL,
  lines text NOT NULL,
  PRIMARY KEY (job_id, lease_version, first_line)
)`,
    // append_logs: old lines are removed, also those of jobs that are gone.
    `CREATE INDEX job_log_age ON {schema}.job_log (stored_at)`,
    `CREATE TABLE {schema}.job_progress (
  job_id {id} NOT NULL PRIMARY KEY,
  lease_version integer NOT NULL,
  stored_at timestamptz NOT NULL,
  fraction float8,
  note text
) WITH (fillfactor = 50)`,
    `CREATE INDEX job_progress_age ON {schema}.job_progress (stored_at)`,
  ],
} as const;
