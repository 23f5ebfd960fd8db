import type { OperatorStore } from "queuert/internal";
import { type PgDatabase, storableText } from "../database.ts";

export const expireLeases = (db: PgDatabase): NonNullable<OperatorStore["expireLeases"]> => {
  const expire = db.routine("expire_leases", {
    worker_id: "text",
    acquired_before: "timestamptz",
  });
  return async ({ workerId, acquiredBefore }) => {
    const [row] = await expire({
      worker_id: storableText(workerId),
      acquired_before: acquiredBefore.toISOString(),
    });
    return Number(row?.["lease_count"] ?? 0);
  };
};
