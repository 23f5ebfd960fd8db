// The running jobs are few: the index of leases has no others.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const expireLeases =
  (db: Database): NonNullable<OperatorStore["expireLeases"]> =>
  ({ workerId, acquiredBefore }) =>
    db.jobs.updateMany(
      outside,
      {
        ...{ status: "running", leasedUntil: { $gte: new Date(0) }, leasedBy: workerId },
        lastAttemptAt: { $lt: acquiredBefore },
        $expr: { $gt: ["$leasedUntil", "$$NOW"] },
      },
      [{ $set: { leasedUntil: "$$NOW" } }],
    );
