// The attempts that did not complete their job. A released migration never changes: add another one instead.
export const attempts = {
  name: "0005-attempts",
  sql: [
    // A row is written with the call that ends the attempt, and deleted with its job. A job that succeeds at once has none.
    `CREATE TABLE {schema}.job_attempt (
  job_id {id} NOT NULL,
  lease_version integer NOT NULL,
  attempt integer NOT NULL,
  due_at timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  next_at timestamptz,
  worker_id text NOT NULL,
  outcome text NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (job_id, lease_version)
)`,
  ],
} as const;
