// The ends of waits for blockers. A released migration never changes: add another one instead.
export const deadlines = {
  name: "0008-deadlines",
  sql: [
    // NULL in every job that waits without an end, or for nothing.
    `ALTER TABLE {schema}.job ADD COLUMN blocked_until timestamptz`,
    // acquireJobs: the jobs whose wait ends next. Usually it is empty, and a probe of it costs little. No ordinary job is in it.
    `CREATE INDEX job_deadline ON {schema}.job (type_name, blocked_until)
  WHERE blocked_until IS NOT NULL AND set_aside = 'blocked'`,
  ],
} as const;
