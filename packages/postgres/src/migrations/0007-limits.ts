// Limits of job types. A released migration never changes: add another one instead.
export const limits = {
  name: "0007-limits",
  // `{schema}` is the quoted name of the schema.
  sql: [
    // A row for each limit, also without bounds: its declaration is known then. An acquisition of a type with bounds locks
    // the row, so that no two of them count at once. Settling never touches it.
    `CREATE TABLE {schema}.job_limit (
  name text COLLATE "C" PRIMARY KEY,
  is_bounded boolean NOT NULL,
  concurrency integer,
  rate_count integer,
  rate_per_ms float8,
  rate_burst integer,
  -- When the tokens of the rate are back, in microseconds since 1970.
  back_at_us bigint,
  declared_hash text,
  revision bigint,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 50)`,
  ],
} as const;
