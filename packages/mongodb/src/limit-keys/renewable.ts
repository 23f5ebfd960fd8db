// An expired lease of a job under a key is not renewed: an acquisition may have given its permit to another job.
import type { Database } from "../database.ts";
import { isExpired, type JobDocument, withoutKey } from "../job-document.ts";

import { outside } from "../store.ts";

/** The server evaluates it again if another write comes first, with the time at which the renewal began. */
export const isRenewable: object = {
  $or: [withoutKey, { leaseLost: { $exists: false }, $expr: { $gt: ["$leasedUntil", "$$NOW"] } }],
};

/** Those of running jobs under keys whose lease has expired, or was given away. */
export const readLost = async (
  db: Database,
  jobs: readonly Pick<JobDocument, "_id">[],
): Promise<ReadonlySet<string>> => {
  if (jobs.length === 0) return new Set();
  const lost = await db.jobs.find(
    outside,
    {
      ...{ _id: { $in: jobs.map(({ _id }) => _id) }, status: "running" },
      $or: [{ leaseLost: true }, isExpired],
    },
    { projection: { _id: 1 } },
  );
  return new Set(lost.map(({ _id }) => _id));
};
