// ↺ Lost: jobs whose worker stopped renewing their leases are pending again, at their old place.
import { toStateJobReference, toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const reclaimExpiredLeases = (db: PgDatabase): PgState["reclaimExpiredLeases"] => {
  const reclaim = db.routine("reclaim_expired_leases", { limit: "integer" });
  return async ({ limit }) => {
    if (limit <= 0) return [];
    const rows = await reclaim({ limit: String(limit) });
    return rows.map((row) => ({
      ...toStateJobReference(row),
      leasedBy: toText(row["held_by"]),
      leaseVersion: Number(row["lease_version"]),
    }));
  };
};
