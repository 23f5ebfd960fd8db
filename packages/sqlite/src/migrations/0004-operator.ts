// The registry of workers, the actions of operators, and the attempts that did not complete their job. Workers report every 10 to 30 s. An
// attempt is written with the call that ends it, so a job that succeeds at once has none.
export const operator = {
  name: "operator",
  sql: `
CREATE TABLE {prefix}worker (
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
CREATE TABLE {prefix}action (
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
CREATE TABLE {prefix}job_attempt (
  job_id {id} NOT NULL REFERENCES {prefix}job (id) ON DELETE CASCADE,
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
) WITHOUT ROWID{,strict};
`,
};
