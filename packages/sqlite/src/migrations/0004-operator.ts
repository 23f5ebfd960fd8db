// The registry of workers, for operators. Workers report to it every 10 to 30 s. Nothing of the walk of a job reads it.
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
`,
};
