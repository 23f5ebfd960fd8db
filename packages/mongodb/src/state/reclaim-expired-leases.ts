// ↺ The leases of a vanished worker have expired: its jobs run again, at their old place. Likewise the
// failures that it left half way (`fail-dependants.ts`).
import type { StateAdapter } from "queuert/internal";
import { expiredAttempt, leaseExpired } from "../attempts.ts";
import type { Database, Repeat } from "../database.ts";
import {
  createStamp,
  isExpired,
  leaseFields,
  referenceFields,
  toReference,
} from "../job-document.ts";

import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";
import { resumeCascades } from "./fail-dependants.ts";

export const reclaimExpiredLeases =
  (db: Database, repeat: Repeat): StateAdapter<object, object, string>["reclaimExpiredLeases"] =>
  async ({ limit }) => {
    if (limit <= 0) return [];
    const stamp = createStamp();
    const [expired, resumption] = await Promise.all([
      db.jobs.find(
        outside,
        { status: "running", ...isExpired },
        {
          projection: { leasedBy: 1, leaseVersion: 1 },
          sort: { leasedUntil: 1 },
          limit,
          candidates: true,
        },
      ),
      Promise.allSettled([resumeCascades(db, repeat)]),
    ]);
    if (expired.length === 0) {
      // Not before: expired leases come first, and the next call meets the same error.
      if (resumption[0].status === "rejected") throw resumption[0].reason;
      return [];
    }
    const ids = expired.map(({ _id }) => _id);
    await skipLocked(db, ids, (scope, some, options) =>
      db.jobs.updateMany(
        scope,
        { _id: { $in: some }, status: "running", ...isExpired },
        [
          {
            $set: {
              status: "pending",
              stamp,
              lastAttemptError: leaseExpired,
              attempts: expiredAttempt,
            },
          },
          { $unset: Object.keys(leaseFields) },
        ],
        options,
      ),
    );
    const reclaimed = await db.jobs.find(
      outside,
      { _id: { $in: ids }, stamp },
      { projection: referenceFields },
    );
    const byId = new Map(reclaimed.map((document) => [document._id, document]));
    return expired.flatMap(({ _id, leasedBy = "", leaseVersion }) => {
      const job = byId.get(_id);
      return job === undefined ? [] : [{ ...toReference(job), leasedBy, leaseVersion }];
    });
  };
