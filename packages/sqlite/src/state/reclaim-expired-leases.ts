// Jobs of a lost worker become pending again, at their old place. The read comes first, so that a call with nothing to
// reclaim does not need the writer. The write checks the condition again, under the lock.
import { leaseExpiredError, type ReclaimedJob, type StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";

export const reclaimExpiredLeases = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["reclaimExpiredLeases"] => {
  const { job } = database.names;
  const recordAttempt = createRecordAttempt(database.names);
  const any = `SELECT 1 FROM ${job} WHERE status = 'running' AND leased_until <= ? LIMIT 1`;
  const expired = `
SELECT late.leased_by, late.lease_version, ${referenceColumns("late")} FROM ${job} late
WHERE late.status = 'running' AND late.leased_until <= ?
ORDER BY late.leased_until, late.ordinal LIMIT +?`;
  const reclaim = `
UPDATE ${job} SET status = 'pending', last_attempt_error = ?, leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ?`;

  return async ({ limit }) => {
    if (limit <= 0) return [];
    const found = await database.read(undefined, (session) => session.get(any, session.now()));
    if (found === undefined) return [];
    return database.write("reclaimExpiredLeases", undefined, (session) => {
      const now = session.now();
      return session
        .all<ExpiredRow>(expired, now, limit)
        .map(([leasedBy, leaseVersion, ...row]): ReclaimedJob => {
          const reference = toStateJobReference(row);
          const error = leaseExpiredError(leasedBy);
          const end = { jobId: reference.id, leaseVersion, outcome: "lease_expired" } as const;
          recordAttempt(session, { ...end, error, nextAt: null }, now);
          session.run(reclaim, error, reference.id, leaseVersion);
          return { ...reference, leasedBy, leaseVersion };
        });
    });
  };
};

type ExpiredRow = [leasedBy: string, leaseVersion: number, ...JobReferenceRow];
