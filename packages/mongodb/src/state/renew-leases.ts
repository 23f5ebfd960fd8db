// Step 5 of the walk: leases of running jobs are extended. The answer is what the jobs say afterwards: a lease that
// could not be extended, because its holder's transaction has the document, is held all the same.
import type { LeaseCheck, RenewLeasesParams, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { heldUnder, valueById } from "../by-id.ts";
import { afterNow, clampMs } from "../instants.ts";
import { toLeaseLostReason } from "../lease-lost.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type RenewLeases = StateAdapter<object, object, string>["renewLeases"];
type Lease = RenewLeasesParams["leases"][number];

export const createRenewLeases =
  (db: Database): RenewLeases =>
  async ({ leases }) => {
    if (leases.length === 0) return [];
    const sorted = [...leases].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    await skipLocked(db, sorted, (scope, some, options) =>
      db.jobs.updateMany(
        scope,
        heldUnder(some),
        [{ $set: { leasedUntil: laterOf(some) } }],
        options,
      ),
    );
    const found = await db.jobs.find(
      outside,
      { _id: { $in: leases.map(({ jobId }) => jobId) } },
      { projection: { status: 1, leaseVersion: 1 } },
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    return leases.map(({ jobId, leaseVersion }): LeaseCheck => {
      const job = byId.get(jobId);
      const isHeld = job?.status === "running" && job.leaseVersion === leaseVersion;
      return isHeld ? { kind: "held" } : { kind: "lost", reason: toLeaseLostReason(job) };
    });
  };

// Never shortens a lease: what is later stays.
const laterOf = (leases: readonly Lease[]): object => {
  const ids = leases.map(({ jobId }) => jobId);
  const durations = leases.map(({ leaseMs }) => leaseMs);
  const isUniform = durations.every((leaseMs) => leaseMs === durations[0]);
  const until = isUniform
    ? afterNow(durations[0] ?? 0)
    : { $add: ["$$NOW", valueById(ids, durations.map(clampMs))] };
  return { $max: ["$leasedUntil", until] };
};
