// Pauses. A row is there while its target is paused, or until the end of the pause is noticed.
// The empty name is the pause of every type. No job type has that name.
export const control = {
  name: "control",
  sql: `
CREATE TABLE {prefix}pause (
  type_name TEXT PRIMARY KEY,
  paused_at INTEGER NOT NULL,
  paused_until INTEGER,
  note TEXT
) STRICT, WITHOUT ROWID;
`,
};
