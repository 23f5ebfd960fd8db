// Step 5 of the walk: a worker says that it is still at it. Leases are never shortened, and one that nobody has taken
// since it expired is held again.
import type { LeaseCheck, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../durations.ts";
import { createLeaseLostReason } from "../steps/lease-lost-reason.ts";

export const renewLeases = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["renewLeases"] => {
  const renew = `
UPDATE ${database.names.job} SET leased_until = max(leased_until, ?)
WHERE id = ? AND status = 'running' AND lease_version = ?`;
  const leaseLost = createLeaseLostReason(database.names);

  return async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write(undefined, (session) => {
          const now = session.now();
          return leases.map(({ jobId, leaseVersion, leaseMs }): LeaseCheck => {
            const until = toInstant(now + leaseMs);
            const { changes } = session.run(renew, until, jobId, leaseVersion);
            return Number(changes) === 1
              ? { kind: "held" }
              : { kind: "lost", reason: leaseLost(session, jobId).reason };
          });
        });
};
