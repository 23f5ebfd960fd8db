// The registry of workers, and the actions of operators. A released migration never changes: add another one instead.
export const operator = {
  name: "0004-operator",
  sql: [
    // Workers report every 10 to 30 s. Nothing of the walk of a job reads the table.
    `CREATE TABLE {schema}.worker (
  instance_id text COLLATE "C" PRIMARY KEY,
  worker_id text COLLATE "C" NOT NULL,
  host text NOT NULL,
  pid bigint NOT NULL,
  machine text,
  process_start text,
  state text NOT NULL,
  types text NOT NULL,
  concurrency integer NOT NULL,
  busy integer NOT NULL,
  beat_ms float8 NOT NULL,
  started_at timestamptz NOT NULL,
  beat_at timestamptz NOT NULL
) WITH (fillfactor = 50)`,
    `CREATE TABLE {schema}.action (
  id text COLLATE "C" PRIMARY KEY,
  action text NOT NULL,
  by_user text,
  filter text,
  job_count bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  done bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0
)`,
  ],
} as const;
