// Step 5 of the walk: a worker renews the leases of its running jobs in one statement, which does not wait for locks.
import type { LeaseCheck, LeaseLostReason } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import type { HeldLeases } from "./held-leases.ts";

export const renewLeases = (db: PgDatabase, held: HeldLeases): PgState["renewLeases"] => {
  const renew = db.routine("renew_leases", {
    ids: "id[]",
    lease_versions: "integer[]",
    lease_ms: "float8[]",
  });
  return async ({ leases }) => {
    if (leases.length === 0) return [];
    const rows = await renew({
      ids: db.ids(leases.map(({ jobId }) => jobId)),
      lease_versions: column(leases, ({ leaseVersion }) => leaseVersion),
      lease_ms: column(leases, ({ leaseMs }) => leaseMs),
    });
    const reasons = new Map(
      rows.map((row) => [Number(row["element"]) - 1, row["reason"] as LeaseLostReason]),
    );
    held.ended(leases.filter((_, index) => reasons.has(index)));
    return leases.map((_, index): LeaseCheck => {
      const reason = reasons.get(index);
      return reason === undefined ? { kind: "held" } : { kind: "lost", reason };
    });
  };
};
