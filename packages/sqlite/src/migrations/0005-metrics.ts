// The counts of attempts by minute and by hour, and the version of each worker: NULL of one whose release does not report it.
// Counts are added by name: `{"completed": 3, "run12": 2}`.
export const metrics = {
  name: "metrics",
  sql: `
CREATE TABLE {prefix}metric (
  step_ms INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type_name TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (step_ms, at, type_name)
) WITHOUT ROWID, STRICT;
ALTER TABLE {prefix}worker ADD COLUMN library_version TEXT;
`,
};
