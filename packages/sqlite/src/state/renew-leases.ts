// Step 5 of the walk: a worker renews the leases of its running jobs. An expired lease is renewed if the job has
// not been acquired since.
import type { LeaseCheck, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../instants.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const renewLeases = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["renewLeases"] => {
  const renew = `
UPDATE ${database.names.job} SET leased_until = ?
WHERE id = ? AND status = 'running' AND lease_version = ?`;
  // A key has a turn while a job of it runs.
  const anyLimit = `
SELECT 1 WHERE EXISTS (SELECT 1 FROM ${database.names.jobLimit} WHERE name >= '' AND is_bounded = 1)
  OR EXISTS (SELECT 1 FROM ${database.names.limitTurn} WHERE limit_name >= '')`;
  const expired = `
SELECT 1 FROM ${database.names.job}
WHERE id = ? AND status = 'running' AND lease_version = ? AND leased_until <= ?
  AND (limit_key IS NOT NULL OR type_name IN (SELECT name FROM ${database.names.jobLimit} WHERE is_bounded = 1))`;
  const leaseLost = createLeaseLostReason(database.names);

  return async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write("renewLeases", undefined, (session) => {
          const now = session.now();
          const hasLimits = session.get(anyLimit) !== undefined;
          return leases.map(({ jobId, leaseVersion, leaseMs }): LeaseCheck => {
            if (hasLimits && session.get(expired, jobId, leaseVersion, now) !== undefined) {
              return { kind: "lost", reason: "lease_expired" };
            }
            const until = toInstant(now + leaseMs);
            const { changes } = session.run(renew, until, jobId, leaseVersion);
            return Number(changes) === 1
              ? { kind: "held" }
              : { kind: "lost", reason: leaseLost(session, jobId).reason };
          });
        });
};
