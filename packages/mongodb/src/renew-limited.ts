// The leases of jobs under limits. An expired one is not renewed: an acquisition may have given its permit to another job. The
// transaction writes the limits, so it meets no acquisition that is counting.
import { setTimeout as sleep } from "node:timers/promises";
import type { RenewLeasesParams } from "queuert/internal";
import type { Database } from "./database.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import { heldUnder, leasedUntilOf } from "./job-document.ts";
import { lockLimit, readBoundedTypes } from "./limit-document.ts";
import { outside } from "./store.ts";

type Lease = RenewLeasesParams["leases"][number];

export interface RenewedUnderLimits {
  readonly renewed: ReadonlySet<Lease>;
  /** The jobs whose lease has expired. */
  readonly expired: ReadonlySet<string>;
}

const triesMax = 5;

export const renewLimited = async (
  db: Database,
  leases: readonly Lease[],
): Promise<RenewedUnderLimits> => {
  const expired = new Set<string>();
  const bounded = await readBoundedTypes(db);
  if (bounded.size === 0) return { renewed: new Set(), expired };
  const found = await db.jobs.find(
    outside,
    {
      _id: { $in: leases.map(({ jobId }) => jobId) },
      $or: [{ typeName: { $in: [...bounded] } }, { limitName: { $in: [...bounded] } }],
    },
    { projection: { typeName: 1, limitName: 1 } },
  );
  const types = new Map(
    found.map(({ _id, typeName, limitName = typeName }) => [
      _id,
      [...new Set([typeName, limitName])].filter((name) => bounded.has(name)).sort(),
    ]),
  );
  const limited = leases.filter(({ jobId }) => types.has(jobId));
  // One by one: a job that its holder's transaction has locked keeps no other waiting.
  for (const lease of limited) {
    const isExpired = await renewOne(db, lease, types.get(lease.jobId) ?? []);
    if (isExpired) expired.add(lease.jobId);
  }
  return { renewed: new Set(limited), expired };
};

/** Whether the lease is held, and has expired. A locked job is left as it is. */
const renewOne = async (db: Database, lease: Lease, names: readonly string[]): Promise<boolean> => {
  for (let tries = 1; ; tries++) {
    try {
      return await db.tryTransaction(async (scope) => {
        let now = new Date(0);
        for (const name of names) now = (await lockLimit(db, scope, name))?.lockedAt ?? now;
        const held = { ...heldUnder([lease]), leaseLost: { $exists: false } };
        const [job] = await db.jobs.find(scope, held, { projection: { leasedUntil: 1 } });
        if (job?.leasedUntil !== undefined && job.leasedUntil <= now) return true;
        await db.jobs.updateMany(scope, held, [{ $set: { leasedUntil: leasedUntilOf([lease]) } }]);
        return false;
      });
    } catch (error) {
      const isConflict =
        error instanceof MongoTransactionAbortedError && error.reason === "write_conflict";
      if (!isConflict) throw error;
      if (tries >= triesMax) return false;
      await sleep(tries * 5 * Math.random());
    }
  }
};
