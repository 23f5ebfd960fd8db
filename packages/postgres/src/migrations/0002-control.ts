// Pauses.
export const control = {
  name: "0002-control",
  // `{schema}` is the quoted name of the schema.
  sql: [
    // A row for each paused target. The empty name is the pause of every type: no job type has that name. A row is there
    // until it is resumed, also after the end of its pause.
    `CREATE TABLE {schema}.pause (
  type_name text COLLATE "C" PRIMARY KEY,
  paused_at timestamptz NOT NULL,
  paused_until timestamptz,
  note text
)`,
  ],
} as const;
