// ↺ A worker has vanished: what it held runs again, at its old place.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { isExpired } from "../instants.ts";
import { referenceFields, toReference } from "../job-document.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";
import { createToken } from "../token.ts";
import { leaseExpiredError } from "./acquire-jobs.ts";
import { leaseFields } from "./completion.ts";

export const createReclaimExpiredLeases =
  (db: Database): StateAdapter<object, object, string>["reclaimExpiredLeases"] =>
  async ({ limit }) => {
    if (limit <= 0) return [];
    const token = createToken();
    const expired = await db.jobs.find(
      outside,
      { status: "running", ...isExpired },
      {
        projection: { leasedBy: 1, leaseVersion: 1 },
        sort: { leasedUntil: 1 },
        limit,
        candidates: true,
      },
    );
    if (expired.length === 0) return [];
    const ids = expired.map(({ _id }) => _id);
    await skipLocked(db, ids, (scope, some, options) =>
      db.jobs.updateMany(
        scope,
        { _id: { $in: some }, status: "running", ...isExpired },
        [
          { $set: { status: "pending", token, lastAttemptError: leaseExpiredError } },
          { $unset: Object.keys(leaseFields) },
        ],
        options,
      ),
    );
    const reclaimed = await db.jobs.find(
      outside,
      { _id: { $in: ids }, token },
      { projection: referenceFields },
    );
    const byId = new Map(reclaimed.map((document) => [document._id, document]));
    return expired.flatMap(({ _id, leasedBy = "", leaseVersion }) => {
      const job = byId.get(_id);
      return job === undefined ? [] : [{ ...toReference(job), leasedBy, leaseVersion }];
    });
  };
