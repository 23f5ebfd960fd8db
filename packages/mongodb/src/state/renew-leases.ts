// Step 5 of the walk: the leases of running jobs are renewed. The result is read from the jobs afterwards. A
// lease that could not be renewed because its holder's transaction has locked the document is still held.
import type { LeaseCheck, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { heldUnder, leasedUntilOf, toLeaseLostReason } from "../job-document.ts";

import { isRenewable, readLost } from "../limit-keys/renewable.ts";
import { renewLimited } from "../renew-limited.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type RenewLeases = StateAdapter<object, object, string>["renewLeases"];

export const renewLeases =
  (db: Database): RenewLeases =>
  async ({ leases }) => {
    if (leases.length === 0) return [];
    const sorted = [...leases].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    const limited = await renewLimited(db, sorted);
    const others = sorted.filter((lease) => !limited.renewed.has(lease));
    if (others.length > 0) {
      await skipLocked(db, others, (scope, some, options) =>
        db.jobs.updateMany(
          scope,
          { ...heldUnder(some), $and: [isRenewable] },
          [{ $set: { leasedUntil: leasedUntilOf(some) } }],
          options,
        ),
      );
    }
    const found = await db.jobs.find(
      outside,
      { _id: { $in: leases.map(({ jobId }) => jobId) } },
      { projection: { status: 1, leaseVersion: 1, limitKeyId: 1 } },
    );
    const underKeys = found.filter(({ limitKeyId }) => limitKeyId !== undefined);
    const lost = await readLost(db, underKeys);
    const byId = new Map(found.map((document) => [document._id, document]));
    return leases.map(({ jobId, leaseVersion }): LeaseCheck => {
      const job = byId.get(jobId);
      const isHeld = job?.status === "running" && job.leaseVersion === leaseVersion;
      if (isHeld && (limited.expired.has(jobId) || lost.has(jobId)))
        return { kind: "lost", reason: "lease_expired" };
      return isHeld ? { kind: "held" } : { kind: "lost", reason: toLeaseLostReason(job) };
    });
  };
