// A worker vanished: its jobs wait again, at their old place. The write re-checks what the look has found, under
// the lock; the look comes first so that a reaper with nothing to do leaves the writer alone.
import { leaseExpiredError, type ReclaimedJob, type StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";

export const reclaimExpiredLeases = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["reclaimExpiredLeases"] => {
  const { job } = database.names;
  const any = `SELECT 1 FROM ${job} WHERE status = 'running' AND leased_until <= ? LIMIT 1`;
  const expired = `
SELECT ${referenceColumns("late")}, late.leased_by, late.lease_version FROM ${job} late
WHERE late.status = 'running' AND late.leased_until <= ?
ORDER BY late.leased_until, late.ordinal LIMIT ?`;
  const reclaim = `
UPDATE ${job} SET status = 'pending', last_attempt_error = ?, leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ?`;

  return async ({ limit }) => {
    if (limit <= 0) return [];
    const found = await database.read(undefined, (session) => session.get(any, session.now()));
    if (found === undefined) return [];
    return database.write(undefined, (session) =>
      session
        .all<[...JobReferenceRow, string, number]>(expired, session.now(), limit)
        .map((row): ReclaimedJob => {
          const [jobId, leasedBy, leaseVersion] = [row[0], row[6], row[7]];
          session.run(reclaim, leaseExpiredError(leasedBy), jobId, leaseVersion);
          return { ...toStateJobReference(row), leasedBy, leaseVersion };
        }),
    );
  };
};
