// The counts of attempts by minute and by hour, and the version of each worker. A released migration never changes: add another
// one instead.
export const metrics = {
  name: "0006-metrics",
  sql: [
    // Counts are added by name: `{"completed": 3, "run12": 2}`. Processes add to the same rows, in the order of the key.
    `CREATE TABLE {schema}.metric (
  step_s integer NOT NULL,
  at timestamptz NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  counts jsonb NOT NULL,
  PRIMARY KEY (step_s, at, type_name)
) WITH (fillfactor = 60)`,
    // NULL: a worker of a release that does not report it.
    `ALTER TABLE {schema}.worker ADD COLUMN library_version text`,
  ],
} as const;
