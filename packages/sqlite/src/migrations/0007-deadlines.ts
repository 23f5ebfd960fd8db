// The ends of waits for blockers. NULL in every job that waits without an end, or for nothing.
export const deadlines = {
  name: "deadlines",
  sql: `
ALTER TABLE {prefix}job ADD COLUMN blocked_until INTEGER;
CREATE INDEX {prefix}job_deadline ON {prefix}job (type_name, blocked_until)
  WHERE status = 'blocked' AND blocked_until IS NOT NULL;
`,
};
