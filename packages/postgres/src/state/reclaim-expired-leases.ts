// ↺ Lost: jobs whose worker has gone silent are pending again, at their old place.
import { toStateJobReference } from "../job-reference.ts";
import { toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const reclaimExpiredLeases = (db: PgDatabase): PgState["reclaimExpiredLeases"] => {
  const reclaim = db.routine("reclaim_expired_leases", ["integer"]);
  return async ({ limit }) => {
    if (limit <= 0) return [];
    const rows = await reclaim([String(limit)]);
    return rows.map((row) => ({
      ...toStateJobReference(row),
      leasedBy: toText(row["detail"]),
      leaseVersion: Number(row["lease_version"]),
    }));
  };
};
