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
  const leaseLost = createLeaseLostReason(database.names);

  return async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write("renewLeases", undefined, (session) => {
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
