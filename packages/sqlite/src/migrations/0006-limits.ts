// Limits of job types. A row stays without bounds, too, and with it its declaration.
export const limits = {
  name: "limits",
  sql: `
CREATE TABLE {prefix}job_limit (
  name TEXT PRIMARY KEY,
  bounds TEXT NOT NULL,
  is_bounded INTEGER NOT NULL,
  declared_hash TEXT,
  revision INTEGER,
  -- When the tokens of the rate are back, in microseconds.
  back_at_us INTEGER,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
