// The error of an attempt is that of its job until the job has another one: most attempts of a job fail alike. So an error is written
// once, and an attempt is a short row. With its error, most attempts took a page of 4 KB each.
//
// `shares_error` is 1 in such an attempt, and its `error` is empty. The trigger gives it the error before the job loses it, whichever
// statement does that. The attempt that this very statement ends has the new error.
export const sharedErrors = {
  name: "shared-errors",
  sql: `
ALTER TABLE {prefix}job_attempt ADD COLUMN shares_error INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER {prefix}job_error_changed AFTER UPDATE OF last_attempt_error ON {prefix}job
WHEN OLD.last_attempt_error <> coalesce(NEW.last_attempt_error, '') BEGIN
  UPDATE {prefix}job_attempt SET error = substr(OLD.last_attempt_error, 1, 4000), shares_error = 0
  WHERE job_id = OLD.id AND shares_error = 1 AND lease_version < OLD.lease_version + (OLD.status <> 'running');
END;
`,
};
